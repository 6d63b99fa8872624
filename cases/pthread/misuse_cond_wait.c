// expect: unsafe at 12
// property: misuse
// engines: explicit bmc cegar
// why: whoever waits on a condition variable must hold the mutex
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void)
{
    pthread_cond_wait(&changed, &lock);
    return 0;
}
