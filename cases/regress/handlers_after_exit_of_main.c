// expect: unknown
// why: handlers of atexit run after the last thread, also where the first one has left by pthread_exit, which is not followed
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int n;

static void last(void)
{
    assert(n == 1);
}

int main(void)
{
    atexit(last);
    pthread_exit(0);
}
