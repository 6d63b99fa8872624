// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: bmc
// why: seq_cst stores are in memory at once
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r1, r2;

static void *thread1(void *arg)
{
    x = 1;
    r1 = y;
    return 0;
}

static void *thread2(void *arg)
{
    y = 1;
    r2 = x;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(r1 == 1 || r2 == 1);
    return 0;
}
