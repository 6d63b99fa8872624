// expect[sc]: unsafe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: basic
// engines: bmc
// why: a store that nobody reads must reach memory, too, before its thread is joined
#include <assert.h>
#include <pthread.h>

int x, unread;

static void *writer(void *arg)
{
    x = 1;
    unread = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    pthread_join(t, 0);
    assert(x == 0);
    return 0;
}
