// expect: safe
// why: a stencil in two buffers with a barrier after each phase; neighbours are read only when they are written
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define CELLS 6
#define THREADS 3
#define STEPS 2

static int grid[2][CELLS];
static pthread_barrier_t phase;

static void *simulate(void *arg)
{
    int id = *(int *)arg;
    int per = CELLS / THREADS;
    int from = id * per, to = from + per;

    for (int step = 0; step < STEPS; step++) {
        const int *old = grid[step % 2];
        int *new = grid[(step + 1) % 2];
        for (int i = from; i < to; i++) {
            int left = i > 0 ? old[i - 1] : 0;
            int right = i < CELLS - 1 ? old[i + 1] : 0;
            new[i] = left + old[i] + right;
        }
        pthread_barrier_wait(&phase);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int ids[THREADS];

    for (int i = 0; i < CELLS; i++)
        grid[0][i] = 1;
    if (pthread_barrier_init(&phase, NULL, THREADS) != 0)
        return 1;
    for (int i = 0; i < THREADS; i++) {
        ids[i] = i;
        if (pthread_create(&t[i], NULL, simulate, &ids[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&phase);
    assert(grid[STEPS % 2][0] == 5);
    assert(grid[STEPS % 2][2] == 9);
    return 0;
}
