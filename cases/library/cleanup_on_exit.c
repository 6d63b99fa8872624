// expect: safe
// why: whoever leaves its thread inside of pthread_cleanup_push runs the routines, the last one first, and so gives the mutex back
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[2];
static int n_run;

static void unlock(void *mutex)
{
    order[n_run++] = 'u';
    pthread_mutex_unlock(mutex);
}

static void count(void *times)
{
    order[n_run++] = 'c';
    ++*(int *)times;
}

static void leave(int depth)
{
    if (depth == 0)
        pthread_exit((void *)9);
    leave(depth - 1);
}

static void *work(void *times)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    pthread_cleanup_push(count, times);
    leave(2);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return 0;
}

int main(void)
{
    pthread_t thread;
    void *result;
    int times = 0;
    pthread_create(&thread, 0, work, &times);
    pthread_join(thread, &result);
    pthread_mutex_lock(&lock);
    assert((long)result == 9 && times == 1);
    assert(order[0] == 'c' && order[1] == 'u');
    pthread_mutex_unlock(&lock);
    return 0;
}
