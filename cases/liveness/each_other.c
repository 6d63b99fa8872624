// expect[sc.cat]: unsafe
// expect[rc11]: unsafe
// expect[power]: unsafe
// property: liveness
// engines: bmc
// why: two threads that wait for each other first wait for ever
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready, other;

static void *waiter(void *arg)
{
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    atomic_store_explicit(&other, 1, memory_order_relaxed);
    return 0;
}

static void *signaller(void *arg)
{
    while (!atomic_load_explicit(&other, memory_order_relaxed))
        ;
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
