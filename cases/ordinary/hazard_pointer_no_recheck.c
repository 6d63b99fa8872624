// expect: unsafe
// why: (use after free) the reader does not look again after announcing the pointer: the writer may have swapped and freed it in between
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct route {
    int gateway;
    int metric;
};

static _Atomic(struct route *) active;
static _Atomic(struct route *) hazard;

static struct route *route_new(int gateway, int metric)
{
    struct route *r = malloc(sizeof *r);
    if (r == NULL) {
        perror("malloc");
        abort();
    }
    r->gateway = gateway;
    r->metric = metric;
    return r;
}

static struct route *protect(void)
{
    struct route *r = atomic_load(&active);
    atomic_store(&hazard, r);
    return r;
}

static void retire(struct route *r)
{
    while (atomic_load(&hazard) == r)
        sched_yield();
    free(r);
}

static void *reader(void *arg)
{
    int total = 0;
    (void)arg;
    for (int i = 0; i < 2; i++) {
        struct route *r = protect();
        total += r->metric;
        atomic_store(&hazard, NULL);
    }
    printf("metric %d\n", total);
    return NULL;
}

int main(void)
{
    pthread_t t;

    atomic_store(&active, route_new(1, 10));
    if (pthread_create(&t, NULL, reader, NULL) != 0)
        return EXIT_FAILURE;
    retire(atomic_exchange(&active, route_new(2, 20)));
    pthread_join(t, NULL);
    free(atomic_load(&active));
    return EXIT_SUCCESS;
}
