// expect[rc11]: unsafe
// expect[sc.cat]: unsafe
// engines: bmc
// Whoever waits does not ask again what it waits for, and may wake for no reason.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int is_full, value;

static void *producer(void *unused)
{
    pthread_mutex_lock(&mutex);
    value = 42;
    is_full = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    pthread_mutex_lock(&mutex);
    if (!is_full)
        pthread_cond_wait(&filled, &mutex);
    assert(value == 42);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, 0);
    return 0;
}
