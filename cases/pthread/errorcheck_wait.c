// expect: safe
// why: an error-checking mutex that the thread does not hold is refused by the wait itself
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t lock;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &kind);
    assert(pthread_cond_wait(&changed, &lock) == EPERM);
    assert(pthread_cond_timedwait(&changed, &lock, &(struct timespec){0, 0}) == EPERM);
    return 0;
}
