// expect: safe
// engines: explicit bmc
// why: the mutex is a local of main, which lives until the other thread has been joined; waiting for it reads nothing invalid
#include <pthread.h>

pthread_mutex_t *lock;
int shared;

void *worker(void *arg)
{
    pthread_mutex_lock(lock);
    shared++;
    pthread_mutex_unlock(lock);
    return 0;
}

int main(void)
{
    pthread_mutex_t mutex;
    pthread_t thread;
    lock = &mutex;
    pthread_mutex_init(&mutex, 0);
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    pthread_join(thread, 0);
    return 0;
}
