// expect[rc11]: safe
// expect[imm]: safe
// expect[aarch64]: safe
// expect[power]: safe
// property: reach,assert
// engines: bmc
// why: a queued spin lock like that of Linux: a byte for who has it, one for who is next, and a queue behind them
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { LOCKED = 1, PENDING = 2 };

struct node {
    _Atomic(struct node *) next;
    atomic_int may_go;
};

/* The word is LOCKED, PENDING or both; who finds it contended waits in the queue. */
atomic_uint word;
_Atomic(struct node *) tail;
struct node nodes[3];
int shared;

static void queue_up(struct node *own)
{
    struct node *before = atomic_exchange_explicit(&tail, own, memory_order_acq_rel);
    if (before) {
        atomic_store_explicit(&before->next, own, memory_order_release);
        while (!atomic_load_explicit(&own->may_go, memory_order_acquire))
            ;
    }
    for (;;) {
        while (atomic_load_explicit(&word, memory_order_relaxed) != 0)
            ;
        unsigned expected = 0;
        if (atomic_compare_exchange_strong_explicit(&word, &expected, LOCKED, memory_order_acquire, memory_order_relaxed))
            break;
    }
    struct node *expected = own;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, 0, memory_order_release, memory_order_relaxed))
        return;
    struct node *after;
    do {
        after = atomic_load_explicit(&own->next, memory_order_acquire);
    } while (!after);
    atomic_store_explicit(&after->may_go, 1, memory_order_release);
}

static void acquire(struct node *own)
{
    unsigned found = 0;
    if (atomic_compare_exchange_strong_explicit(&word, &found, LOCKED, memory_order_acquire, memory_order_relaxed))
        return;
    if (found == LOCKED && atomic_compare_exchange_strong_explicit(&word, &found, LOCKED | PENDING, memory_order_relaxed, memory_order_relaxed)) {
        while (atomic_load_explicit(&word, memory_order_acquire) & LOCKED)
            ;
        atomic_store_explicit(&word, LOCKED, memory_order_relaxed);
        return;
    }
    queue_up(own);
}

static void release(void)
{
    atomic_fetch_and_explicit(&word, ~(unsigned)LOCKED, memory_order_release);
}

static void *worker(void *arg)
{
    acquire(arg);
    shared++;
    release();
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
