// expect[assert]: unsafe at 30
// why: a thread that was cancelled may end where it prints, or not
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int go, done;

static void *worker(void *arg)
{
    while (!go)
        ;
    printf("on the way");
    done = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, worker, 0);
    pthread_cancel(thread);
    go = 1;
    void *result;
    pthread_join(thread, &result);
    if (result == PTHREAD_CANCELED)
        assert(!done);
    assert(!done);
    return 0;
}
