// expect[sc]: safe
// expect[tso]: safe
// expect[pso]: unsafe
// property: basic
// engines: bmc
// why: under partial store order the first store may come last
#include <assert.h>
#include <pthread.h>

int x, y, r;

static void *thread1(void *arg)
{
    x = 2;
    y = 1;
    return 0;
}

static void *thread2(void *arg)
{
    r = y;
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(r == 1 && x == 2));
    return 0;
}
