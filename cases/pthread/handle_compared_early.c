// expect[reach]: safe
// why: the handle is stored before the new thread runs, which the answer names as assumed; comparing handles by `!=` says the same as pthread_equal
#include <pthread.h>

extern void reach_error(void);

static pthread_t thread;

static void *worker(void *arg)
{
    if (thread != pthread_self())
        reach_error();
    return arg;
}

int main(void)
{
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
