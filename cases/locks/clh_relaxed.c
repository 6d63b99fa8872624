// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[aarch64]: unsafe
// expect[power]: unsafe
// property: reach,assert
// engines: bmc
// why: the own node is cleared by a relaxed store: who waits there may not see what was done
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    atomic_int is_locked;
};

struct node nodes[4];
_Atomic(struct node *) tail = &nodes[3];
int shared;

static void acquire(struct node *own)
{
    atomic_store_explicit(&own->is_locked, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, own, memory_order_acq_rel);
    while (atomic_load_explicit(&before->is_locked, memory_order_acquire))
        ;
}

static void release(struct node *own)
{
    atomic_store_explicit(&own->is_locked, 0, memory_order_relaxed);
}

static void *worker(void *arg)
{
    struct node *own = arg;
    acquire(own);
    shared++;
    release(own);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, &nodes[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(shared == 3);
    return 0;
}
