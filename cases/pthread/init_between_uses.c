// expect: safe
// property: misuse
// why: who initialises once, and again only after destroying what nobody holds, does so rightly
#include <pthread.h>

pthread_mutex_t lock;
pthread_rwlock_t other;
pthread_cond_t change;

void *both(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_rwlock_wrlock(&other);
    pthread_rwlock_unlock(&other);
    pthread_cond_signal(&change);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_mutex_init(&lock, 0);
        pthread_rwlock_init(&other, 0);
        pthread_cond_init(&change, 0);
        pthread_create(&thread, 0, both, 0);
        both(0);
        pthread_join(thread, 0);
        pthread_mutex_destroy(&lock);
        pthread_rwlock_destroy(&other);
        pthread_cond_destroy(&change);
    }
    return 0;
}
