// expect: safe
// why: a time whose nanoseconds are out of range is none, and the mutex is kept
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;

int main(void) {
    struct timespec odd = {0, 2000000000};
    pthread_mutex_lock(&lock);
    assert(pthread_cond_timedwait(&never, &lock, &odd) == EINVAL);
    pthread_mutex_unlock(&lock);
    return 0;
}
