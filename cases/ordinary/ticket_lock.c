// expect: safe
// why: a ticket lock; serving the next ticket releases, waiting for one's own acquires
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define THREADS 3
#define ROUNDS 2

struct ticket_lock {
    atomic_uint next;
    atomic_uint serving;
};

static struct ticket_lock lock;
static struct { int deposits, withdrawals; } ledger;

static void ticket_acquire(struct ticket_lock *l)
{
    unsigned mine = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&l->serving, memory_order_acquire) != mine)
        sched_yield();
}

static void ticket_release(struct ticket_lock *l)
{
    unsigned now = atomic_load_explicit(&l->serving, memory_order_relaxed);
    atomic_store_explicit(&l->serving, now + 1, memory_order_release);
}

static void *clerk(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        ticket_acquire(&lock);
        ledger.deposits++;
        ledger.withdrawals++;
        assert(ledger.deposits == ledger.withdrawals);
        ticket_release(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], NULL, clerk, NULL) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert(ledger.deposits == THREADS * ROUNDS);
    return 0;
}
