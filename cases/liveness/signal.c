// expect[sc.cat]: safe
// expect[tso.cat]: safe
// expect[rc11]: safe
// expect[imm]: safe
// expect[aarch64]: safe
// expect[power]: safe
// property: liveness
// engines: bmc
// why: what was written is seen at last, in whatever order
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready, other;

static void *waiter(void *arg)
{
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    return 0;
}

static void *signaller(void *arg)
{
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, waiter, 0);
    pthread_create(&two, 0, signaller, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
