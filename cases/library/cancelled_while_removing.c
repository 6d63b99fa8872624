// expect[assert]: unsafe at 27
// why: POSIX leaves it open whether a thread that was cancelled ends where it removes a file
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int go, done;

static void *worker(void *arg)
{
    while (!go)
        ;
    remove("old");
    done = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, worker, 0);
    pthread_cancel(thread);
    go = 1;
    pthread_join(thread, 0);
    assert(!done);
    return 0;
}
