// expect: unsafe
// property: assert
// why: time may run out before anybody signals
#include <pthread.h>
#include <time.h>
#include <errno.h>
#include <assert.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int done;
static void *worker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    struct timespec ts = { 1, 0 };
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    int rc = 0;
    if (!done) rc = pthread_cond_timedwait(&ready, &m, &ts);
    assert(done);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return rc;
}
