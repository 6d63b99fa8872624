// expect: safe
// why: a reader announces the pointer and looks again; the writer frees the old object only when no announcement names it
// (that a stale pointer is still compared after the free, as in every hazard pointer scheme, is not counted: it is never dereferenced)
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define READERS 2

struct route {
    int gateway;
    int check;
};

static _Atomic(struct route *) active;
static _Atomic(struct route *) hazards[READERS];

static struct route *route_new(int gateway)
{
    struct route *r = malloc(sizeof *r);
    if (r == NULL)
        abort();
    r->gateway = gateway;
    r->check = ~gateway;
    return r;
}

static struct route *protect(int slot)
{
    struct route *r;
    do {
        r = atomic_load(&active);
        atomic_store(&hazards[slot], r);
    } while (r != atomic_load(&active));
    return r;
}

static void release(int slot)
{
    atomic_store(&hazards[slot], NULL);
}

static void retire(struct route *r)
{
    for (int i = 0; i < READERS; i++)
        while (atomic_load(&hazards[i]) == r)
            sched_yield();
    free(r);
}

static void *reader(void *arg)
{
    int slot = *(int *)arg;
    struct route *r = protect(slot);
    assert(r->check == ~r->gateway);
    release(slot);
    return NULL;
}

static void *updater(void *arg)
{
    (void)arg;
    retire(atomic_exchange(&active, route_new(2)));
    return NULL;
}

int main(void)
{
    pthread_t r[READERS], u;
    int slots[READERS];

    atomic_store(&active, route_new(1));
    for (int i = 0; i < READERS; i++) {
        slots[i] = i;
        if (pthread_create(&r[i], NULL, reader, &slots[i]) != 0)
            abort();
    }
    if (pthread_create(&u, NULL, updater, NULL) != 0)
        abort();
    for (int i = 0; i < READERS; i++)
        pthread_join(r[i], NULL);
    pthread_join(u, NULL);
    free(atomic_load(&active));
    return 0;
}
