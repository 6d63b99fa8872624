// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: bmc
// why: a read-modify-write of anything is a fence, whatever its order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int a, b;
int x, y, r1, r2;

static void *thread1(void *arg)
{
    x = 1;
    atomic_fetch_add_explicit(&a, 1, memory_order_relaxed);
    r1 = y;
    return 0;
}

static void *thread2(void *arg)
{
    y = 1;
    atomic_fetch_add_explicit(&b, 1, memory_order_relaxed);
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
