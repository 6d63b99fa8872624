// expect: unsafe
// property: misuse
// engines: explicit bmc
// why: all who wait on a condition variable at one time must use the same mutex
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void *with_a(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_cond_wait(&changed, &a);
    pthread_mutex_unlock(&a);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, with_a, 0);
    pthread_mutex_lock(&b);
    pthread_cond_wait(&changed, &b);
    pthread_mutex_unlock(&b);
    return 0;
}
