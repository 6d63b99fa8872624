// expect[sc.cat]: safe
// expect[rc11]: safe
// expect[aarch64]: safe
// expect[power]: safe
// property: liveness
// engines: bmc
// why: a weak compare-exchange does not fail for no reason for ever
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready, other;

static void *waiter(void *arg)
{
    int expected = 1;
    while (!atomic_compare_exchange_weak_explicit(&ready, &expected, 2, memory_order_relaxed, memory_order_relaxed))
        expected = 1;
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
