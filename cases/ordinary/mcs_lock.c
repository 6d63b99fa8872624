// expect: safe
// why: an MCS queue lock; each waiter spins on its own node and the owner hands over
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct mcs_node {
    _Atomic(struct mcs_node *) next;
    atomic_bool waiting;
};

typedef _Atomic(struct mcs_node *) mcs_lock;

static mcs_lock lock;
static int counter;

static void mcs_acquire(mcs_lock *l, struct mcs_node *me)
{
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->waiting, true, memory_order_relaxed);
    struct mcs_node *prev = atomic_exchange_explicit(l, me, memory_order_acq_rel);
    if (prev == NULL)
        return;
    atomic_store_explicit(&prev->next, me, memory_order_release);
    while (atomic_load_explicit(&me->waiting, memory_order_acquire))
        sched_yield();
}

static void mcs_release(mcs_lock *l, struct mcs_node *me)
{
    struct mcs_node *next = atomic_load_explicit(&me->next, memory_order_acquire);
    if (next == NULL) {
        struct mcs_node *expected = me;
        if (atomic_compare_exchange_strong_explicit(l, &expected, NULL, memory_order_acq_rel, memory_order_relaxed))
            return;
        while ((next = atomic_load_explicit(&me->next, memory_order_acquire)) == NULL)
            sched_yield();
    }
    atomic_store_explicit(&next->waiting, false, memory_order_release);
}

static void *worker(void *arg)
{
    struct mcs_node me = { NULL, false };
    (void)arg;
    for (int i = 0; i < 2; i++) {
        mcs_acquire(&lock, &me);
        counter++;
        mcs_release(&lock, &me);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, worker, NULL) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(counter == 4);
    return 0;
}
