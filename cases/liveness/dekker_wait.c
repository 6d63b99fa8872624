// expect[sc.cat]: safe
// expect[tso.cat]: unsafe
// expect[rc11]: unsafe
// expect[power]: unsafe
// property: liveness
// engines: bmc
// why: the second gives way to the first unless both have missed each other
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready, other;

static void *waiter(void *arg)
{
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&other, memory_order_relaxed)) {
        while (atomic_load_explicit(&other, memory_order_relaxed) != 2)
            ;
    }
    return 0;
}

static void *signaller(void *arg)
{
    atomic_store_explicit(&other, 1, memory_order_relaxed);
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        atomic_store_explicit(&other, 2, memory_order_relaxed);
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
