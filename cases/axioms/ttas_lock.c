// expect[rc11]: safe
// expect[imm]: safe
// expect[aarch64]: safe
// expect[power]: safe
// expect[tso.cat]: safe
// property: reach,assert
// engines: bmc
// why: a lock that spins on a load, takes by exchange and gives back by a release store; rounds that only read are left out
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
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(shared == 2);
    return 0;
}
