// expect: safe
// why: partial sums, a barrier, offsets by one thread, a barrier, then everybody adds its offset
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define N 8
#define THREADS 2

struct ctx {
    int values[N];
    int sums[THREADS];
    int offsets[THREADS];
    pthread_barrier_t barrier;
};

struct job {
    struct ctx *ctx;
    int id;
};

static void *scan(void *arg)
{
    struct job *job = arg;
    struct ctx *c = job->ctx;
    int from = job->id * (N / THREADS), to = from + N / THREADS;

    for (int i = from + 1; i < to; i++)
        c->values[i] += c->values[i - 1];
    c->sums[job->id] = c->values[to - 1];

    if (pthread_barrier_wait(&c->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        int offset = 0;
        for (int i = 0; i < THREADS; i++) {
            c->offsets[i] = offset;
            offset += c->sums[i];
        }
    }
    pthread_barrier_wait(&c->barrier);

    for (int i = from; i < to; i++)
        c->values[i] += c->offsets[job->id];
    return NULL;
}

int main(void)
{
    struct ctx *c = malloc(sizeof *c);
    struct job jobs[THREADS];
    pthread_t t[THREADS];

    if (c == NULL)
        return 1;
    for (int i = 0; i < N; i++)
        c->values[i] = i + 1;
    if (pthread_barrier_init(&c->barrier, NULL, THREADS) != 0)
        abort();
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){ c, i };
        if (pthread_create(&t[i], NULL, scan, &jobs[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        assert(c->values[i] == (i + 1) * (i + 2) / 2);
    pthread_barrier_destroy(&c->barrier);
    free(c);
    return 0;
}
