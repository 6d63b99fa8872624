// expect: safe
// property: reach,assert
// engines: impact
// why: a block is written under its own lock, and only while the inode that it belongs to is busy (Flanagan, Freund and Qadeer)
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock_of_inode = PTHREAD_MUTEX_INITIALIZER, lock_of_busy = PTHREAD_MUTEX_INITIALIZER;
int inode, busy, block;

void *allocator(void *arg)
{
    pthread_mutex_lock(&lock_of_inode);
    if (inode == 0) {
        pthread_mutex_lock(&lock_of_busy);
        busy = 1;
        pthread_mutex_unlock(&lock_of_busy);
        inode = 1;
    }
    block = 1;
    assert(block == 1);
    pthread_mutex_unlock(&lock_of_inode);
    return 0;
}

void *deallocator(void *arg)
{
    pthread_mutex_lock(&lock_of_busy);
    if (busy == 0) {
        block = 0;
        assert(block == 0);
    }
    pthread_mutex_unlock(&lock_of_busy);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, allocator, 0);
    pthread_create(&two, 0, deallocator, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
