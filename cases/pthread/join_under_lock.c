// expect: unsafe
// property: deadlock
// engines: explicit bmc
// why: the thread that is joined waits for the lock that the joining one holds; a third one runs for ever
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
atomic_int never;

void *spins(void *unused)
{
    while (!atomic_load(&never))
        ;
    return 0;
}

void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t spinner;
    pthread_t other;
    pthread_create(&spinner, 0, spins, 0);
    pthread_create(&other, 0, worker, 0);
    pthread_mutex_lock(&lock);
    pthread_join(other, 0);
    pthread_mutex_unlock(&lock);
    return 0;
}
