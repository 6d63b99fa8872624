// expect: unsafe at 32
// why: the nanoseconds of the deadline become more than a second has, which the wait refuses

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int done;

static void *finish(void *arg) {
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec until;
    int rc = 0;
    pthread_create(&t, 0, finish, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50 * 1000000L;
    pthread_mutex_lock(&lock);
    while (!done && rc == 0)
        rc = pthread_cond_timedwait(&wake, &lock, &until);
    pthread_mutex_unlock(&lock);
    assert(rc == 0 || rc == ETIMEDOUT);
    pthread_join(t, 0);
    return 0;
}
