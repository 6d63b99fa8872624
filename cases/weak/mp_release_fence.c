// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: bmc
// why: a release fence keeps the stores on its two sides in order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, r1, r2, flag;

static void *thread1(void *arg)
{
    x = 1;
    atomic_thread_fence(memory_order_release);
    flag = 1;
    return 0;
}

static void *thread2(void *arg)
{
    r1 = flag;
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
