// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: bmc
// why: a release store is not ahead of what was stored before
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, r1, r2;
atomic_int flag;

static void *thread1(void *arg)
{
    x = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

static void *thread2(void *arg)
{
    r1 = atomic_load_explicit(&flag, memory_order_acquire);
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
    assert(!(r1 == 1 && r2 == 0));
    return 0;
}
