// expect[rc11]: safe
// expect[imm]: safe
// expect[aarch64]: safe
// expect[power]: safe
// property: reach,assert
// engines: bmc
// why: a ticket lock: a number is drawn, and whoever leaves calls the next one
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next, serving;
int shared;

static void acquire(void)
{
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        ;
}

static void release(void)
{
    unsigned mine = atomic_load_explicit(&serving, memory_order_relaxed);
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
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
