// expect[rc11]: safe
// expect[imm]: safe
// expect[aarch64]: safe
// expect[power]: safe
// property: reach,assert
// engines: bmc
// why: a test-and-test-and-set lock: spins on a load, takes by exchange
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
int shared;

static void acquire(void)
{
    for (;;) {
        while (atomic_load_explicit(&lock, memory_order_relaxed) != 0)
            ;
        if (!atomic_exchange_explicit(&lock, 1, memory_order_acquire))
            return;
    }
}

static void release(void)
{
    atomic_store_explicit(&lock, 0, memory_order_release);
}

static void *worker(void *arg)
{
    acquire();
    shared++;
    release();
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(shared == 3);
    return 0;
}
