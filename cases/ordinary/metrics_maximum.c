// expect: unsafe
// why: (assert) the maximum is compared and stored in two steps: a smaller value may overwrite a larger one
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct gauge {
    atomic_uint samples;
    atomic_uint peak;
};

static struct gauge queue_depth;

static void gauge_record(struct gauge *g, unsigned value)
{
    atomic_fetch_add(&g->samples, 1);
    if (value > atomic_load(&g->peak))
        atomic_store(&g->peak, value);
}

static void *sampler(void *arg)
{
    unsigned base = *(unsigned *)arg;
    for (unsigned i = 0; i < 3; i++)
        gauge_record(&queue_depth, base + i);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    unsigned bases[2] = { 10, 20 };

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, sampler, &bases[i]) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("peak %u in %u samples\n", atomic_load(&queue_depth.peak), atomic_load(&queue_depth.samples));
    assert(atomic_load(&queue_depth.peak) == 22);
    return EXIT_SUCCESS;
}
