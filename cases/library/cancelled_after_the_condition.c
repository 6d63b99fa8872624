// expect[memsafety]: safe
// why: whoever was woken does not look at the condition variable any more, and neither does who cancels it afterwards
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *ready;
static int is_ready;

static void *wait_until_ready(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(ready, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    ready = malloc(sizeof *ready);
    pthread_cond_init(ready, 0);
    pthread_create(&thread, 0, wait_until_ready, 0);
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_broadcast(ready);
    pthread_mutex_unlock(&lock);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    free(ready);
    return 0;
}
