// expect: safe
// why: what was destroyed may be initialised again, and static memory may be initialised once more than by its zeros
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t lock;
pthread_cond_t changed;
pthread_rwlock_t shared;
sem_t items;
pthread_barrier_t barrier;

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&lock, 0);
        pthread_cond_init(&changed, 0);
        pthread_rwlock_init(&shared, 0);
        sem_init(&items, 0, 1);
        pthread_barrier_init(&barrier, 0, 1);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&barrier);
        pthread_mutex_destroy(&lock);
        pthread_cond_destroy(&changed);
        pthread_rwlock_destroy(&shared);
        sem_destroy(&items);
        pthread_barrier_destroy(&barrier);
    }
    return 0;
}
