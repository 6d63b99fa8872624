// expect: safe
// engines: bmc
// why: waking without a signal any number of times is taking the lock later, so two rounds of the loop are all there are
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int is_set;
int value;

void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_set)
        pthread_cond_wait(&ready, &lock);
    assert(value == 7);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    pthread_mutex_lock(&lock);
    value = 7;
    is_set = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
