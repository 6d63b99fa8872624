// expect[deadlock]: safe
// expect[assert]: unsafe at 25
// why: whoever waits until some time is never stuck; it may give up at any moment, and later than it began to wait
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t read = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
sem_t none;

int main(void) {
    struct timespec soon = {0, 0};
    sem_init(&none, 0, 0);
    pthread_mutex_lock(&held);
    pthread_rwlock_rdlock(&read);
    int lock = pthread_mutex_timedlock(&held, &soon);
    int write = pthread_rwlock_timedwrlock(&read, &soon);
    int wait = sem_timedwait(&none, &soon);
    pthread_mutex_lock(&own);
    int signal = pthread_cond_timedwait(&never, &own, &soon);
    assert(lock == 0 || write == 0 || wait == 0 || signal == 0);
    pthread_mutex_unlock(&own);
    return 0;
}
