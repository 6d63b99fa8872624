// expect: safe
// why: relaxed counters and a maximum kept with compare-and-exchange; exact once the workers have ended
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 4

struct metrics {
    atomic_ulong requests;
    atomic_ulong histogram[BUCKETS];
    atomic_uint slowest;
};

static struct metrics metrics;

static void observe(struct metrics *m, unsigned ms)
{
    unsigned bucket = 0;
    for (unsigned bound = 10; bucket < BUCKETS - 1 && ms >= bound; bound *= 10)
        bucket++;
    atomic_fetch_add_explicit(&m->requests, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&m->histogram[bucket], 1, memory_order_relaxed);
    unsigned max = atomic_load_explicit(&m->slowest, memory_order_relaxed);
    while (ms > max && !atomic_compare_exchange_weak_explicit(&m->slowest, &max, ms, memory_order_relaxed,
                                                              memory_order_relaxed))
        ;
}

static void *worker(void *arg)
{
    const unsigned *times = arg;
    for (int i = 0; i < 2; i++)
        observe(&metrics, times[i]);
    return NULL;
}

int main(void)
{
    static unsigned times[3][2] = { { 5, 250 }, { 42, 7 }, { 90, 12 } };
    pthread_t t[3];
    unsigned long sum = 0;

    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, worker, times[i]) != 0)
            abort();
    printf("so far: %lu\n", atomic_load_explicit(&metrics.requests, memory_order_relaxed));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < BUCKETS; i++)
        sum += atomic_load(&metrics.histogram[i]);
    assert(sum == atomic_load(&metrics.requests));
    assert(atomic_load(&metrics.slowest) == 250);
    assert(atomic_load(&metrics.histogram[0]) == 2);
    return 0;
}
