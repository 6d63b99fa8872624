// expect: unsafe
// why: a thread that is cancelled while it waits holds the mutex again, and without a routine nobody gives it back: main waits for ever
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;


static void *wait_for_ever(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, wait_for_ever, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    pthread_mutex_lock(&lock);
    assert(result == PTHREAD_CANCELED);
    pthread_mutex_unlock(&lock);
    return 0;
}
