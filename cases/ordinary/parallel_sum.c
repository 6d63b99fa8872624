// expect: safe
// why: the array's size is an input between 1 and 64; the chunks cover it without overlap
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define MAX_ITEMS 64

struct chunk {
    const int *items;
    size_t from, to;
    long sum;
};

static void *sum_chunk(void *arg)
{
    struct chunk *c = arg;
    long sum = 0;
    for (size_t i = c->from; i < c->to; i++)
        sum += c->items[i];
    c->sum = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 16;
    if (n < 1 || n > MAX_ITEMS) {
        fprintf(stderr, "usage: %s [1..%d]\n", argc > 0 ? argv[0] : "sum", MAX_ITEMS);
        return EXIT_FAILURE;
    }
    size_t count = (size_t)n;
    int *items = malloc(count * sizeof *items);
    if (items == NULL)
        return EXIT_FAILURE;
    for (size_t i = 0; i < count; i++)
        items[i] = (int)i + 1;

    struct chunk chunks[THREADS];
    pthread_t threads[THREADS];
    for (size_t t = 0; t < THREADS; t++) {
        chunks[t] = (struct chunk){ items, count * t / THREADS, count * (t + 1) / THREADS, 0 };
        if (pthread_create(&threads[t], NULL, sum_chunk, &chunks[t]) != 0)
            abort();
    }
    long total = 0;
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        total += chunks[t].sum;
    }
    free(items);
    assert(total == n * (n + 1) / 2);
    return EXIT_SUCCESS;
}
