// expect[rc11]: unsafe
// expect[power]: unsafe
// property: assert
// A lock by exchanges that is given back by a relaxed store: interleavings show nothing wrong, but there is a race, and what the lock protects may be lost.
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
    atomic_store_explicit(&taken, 0, memory_order_relaxed);
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
