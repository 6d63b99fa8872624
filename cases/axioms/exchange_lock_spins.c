// expect[rc11]: safe
// expect[imm]: safe
// expect[power]: safe
// property: assert,race
// engines: portfolio
// A lock by exchanges, where whoever finds it taken writes what is there already: no number of rounds is enough, but no two accesses of a thread leave
// their order open either, so that interleavings say it all.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int count;

static void *worker(void *unused)
{
    while (atomic_exchange_explicit(&taken, 1, memory_order_acquire))
        ;
    count++;
    atomic_store_explicit(&taken, 0, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(count == 2);
    return 0;
}
