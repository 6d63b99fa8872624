// expect: safe
// why: a thread that waits at a condition variable takes the mutex back when it is cancelled, and its routine gives it to the next
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int n_cleaned;

static void unlock(void *mutex)
{
    n_cleaned++;
    pthread_mutex_unlock(mutex);
}

static void *wait_for_ever(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
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
    assert(result == PTHREAD_CANCELED && n_cleaned == 1);
    pthread_mutex_unlock(&lock);
    return 0;
}
