// expect[rc11]: unsafe
// expect[sc.cat]: unsafe
// property: reach,assert
// engines: bmc
// A compare-exchange is tried until it succeeds, while another thread writes many times, and may be the last to write.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { WRITES = 30 };
static atomic_int top;

static void *pusher(void *unused)
{
    int seen = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &seen, seen + 100, memory_order_acq_rel, memory_order_relaxed))
        ;
    return 0;
}

static void *writer(void *unused)
{
    for (int i = 1; i <= WRITES; i++)
        atomic_store_explicit(&top, i, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, pusher, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int last = atomic_load(&top);
    assert(last == WRITES);
    return 0;
}
