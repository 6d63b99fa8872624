// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: bmc
// why: loads are never late
#include <assert.h>
#include <pthread.h>

int x, y, r1, r2;

static void *thread1(void *arg)
{
    r1 = x;
    y = 1;
    return 0;
}

static void *thread2(void *arg)
{
    r2 = y;
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
    assert(!(r1 == 1 && r2 == 1));
    return 0;
}
