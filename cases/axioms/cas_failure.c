// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[sc.cat]: safe
// property: reach,assert
// engines: bmc
// why: a compare-exchange that fails is but a load with its failure order, and writes nothing
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
atomic_int data;

static void *writer(void *arg)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

static void *reader(void *arg)
{
    int expected = 2;
    atomic_compare_exchange_strong_explicit(&flag, &expected, 3, memory_order_acquire, memory_order_relaxed);
    if (expected == 1)
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&two, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
