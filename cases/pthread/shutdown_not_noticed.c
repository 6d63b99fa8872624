// expect: unsafe
// property: deadlock
// why: without the lock the signal may come between the test of the flag and the wait
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool stop;
static int beats;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t tick = PTHREAD_COND_INITIALIZER;
static void *heart(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!stop) {
        beats++;
        pthread_cond_wait(&tick, &lock);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, heart, 0);
    atomic_store(&stop, true);
    pthread_cond_signal(&tick);
    pthread_join(t, 0);
    assert(beats >= 0);
    return 0;
}
