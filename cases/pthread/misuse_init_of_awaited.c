// expect: unsafe at 26
// property: misuse
// why: a condition variable that a thread waits on is not initialised
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t change = PTHREAD_COND_INITIALIZER;
int ready, waits;

void *waiter(void *arg)
{
    pthread_mutex_lock(&lock);
    waits = 1;
    while (!ready)
        pthread_cond_wait(&change, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    pthread_mutex_lock(&lock);
    if (waits)
        pthread_cond_init(&change, 0);
    ready = 1;
    pthread_cond_signal(&change);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
