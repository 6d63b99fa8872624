// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[aarch64]: unsafe
// expect[power]: unsafe
// property: reach,assert
// engines: bmc
// why: the flag of the next one is cleared by a relaxed store: it may not see what was done
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int is_locked;
};

_Atomic(struct node *) tail;
struct node nodes[3];
int shared;

static void acquire(struct node *own)
{
    atomic_store_explicit(&own->next, 0, memory_order_relaxed);
    atomic_store_explicit(&own->is_locked, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, own, memory_order_acq_rel);
    if (before) {
        atomic_store_explicit(&before->next, own, memory_order_release);
        while (atomic_load_explicit(&own->is_locked, memory_order_acquire))
            ;
    }
}

static void release(struct node *own)
{
    struct node *after = atomic_load_explicit(&own->next, memory_order_acquire);
    if (!after) {
        struct node *expected = own;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, 0, memory_order_release, memory_order_relaxed))
            return;
        do {
            after = atomic_load_explicit(&own->next, memory_order_acquire);
        } while (!after);
    }
    atomic_store_explicit(&after->is_locked, 0, memory_order_relaxed);
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
