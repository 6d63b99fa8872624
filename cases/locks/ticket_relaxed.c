// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[aarch64]: unsafe
// expect[power]: unsafe
// property: reach,assert
// engines: bmc
// why: the next one is called by a relaxed store: it may not see what was done
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
    atomic_store_explicit(&serving, mine + 1, memory_order_relaxed);
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
