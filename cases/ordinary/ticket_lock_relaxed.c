// expect: unsafe
// why: (race) the waiting load is relaxed, so the next owner's accesses are not ordered after those of the one before
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    atomic_uint next;
    atomic_uint serving;
} ticket_lock_t;

static ticket_lock_t lock;
static int inventory = 10;

static void ticket_lock(ticket_lock_t *l)
{
    unsigned ticket = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&l->serving, memory_order_relaxed) != ticket)
        sched_yield();
}

static void ticket_unlock(ticket_lock_t *l)
{
    atomic_fetch_add_explicit(&l->serving, 1, memory_order_release);
}

static void *customer(void *arg)
{
    int want = *(int *)arg;

    ticket_lock(&lock);
    if (inventory >= want)
        inventory -= want;
    else
        fprintf(stderr, "sold out\n");
    ticket_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int wants[3] = { 4, 5, 6 };

    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, customer, &wants[i]) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d left\n", inventory);
    return 0;
}
