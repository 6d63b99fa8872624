// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: basic
// engines: bmc
// why: a store may be overtaken by a later load of another place
#include <assert.h>
#include <pthread.h>

int x, y, r;

static void *thread1(void *arg)
{
    x = 1;
    y = 1;
    return 0;
}

static void *thread2(void *arg)
{
    y = 2;
    r = x;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(y == 2 && r == 0));
    return 0;
}
