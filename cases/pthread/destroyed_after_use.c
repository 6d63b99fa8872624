// expect: safe
// property: misuse,deadlock
// engines: explicit bmc cegar
// why: destroying what nobody uses any more is what one should do; it may be initialised again
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
sem_t ready;

void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    sem_post(&ready);
    return 0;
}

int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, 0, worker, 0);
    sem_wait(&ready);
    pthread_join(thread, 0);
    pthread_mutex_destroy(&lock);
    sem_destroy(&ready);
    pthread_mutex_init(&lock, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_destroy(&lock);
    return 0;
}
