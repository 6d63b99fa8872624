// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: basic
// engines: bmc
// why: each thread reads its own store while the other does not see it
#include <assert.h>
#include <pthread.h>

int x, y, r1, r2, r3, r4;

static void *thread1(void *arg)
{
    x = 1;
    r1 = x;
    r2 = y;
    return 0;
}

static void *thread2(void *arg)
{
    y = 1;
    r3 = y;
    r4 = x;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0));
    return 0;
}
