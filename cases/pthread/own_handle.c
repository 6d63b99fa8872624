// expect: safe
// why: the handle is stored before the new thread looks for it, as glibc does; own_handle_late.c has it otherwise
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_t thread;
int n;

void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
    assert(pthread_equal(thread, pthread_self()));
    return 0;
}

int main(void)
{
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
