// expect: safe
// engines: bmc
// why: a round that takes the lock, finds the flag unset and gives the lock back can be left out
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int is_set;
int value;

void *poller(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int seen = is_set;
        pthread_mutex_unlock(&lock);
        if (seen)
            break;
    }
    assert(value == 7);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, poller, 0);
    value = 7;
    pthread_mutex_lock(&lock);
    is_set = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
