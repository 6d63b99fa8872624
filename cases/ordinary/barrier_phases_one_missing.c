// expect: unsafe
// why: (race) in place: after reading the neighbours there must be a second barrier before the cells are overwritten
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 6
#define THREADS 2
#define STEPS 2

static int grid[CELLS];
static pthread_barrier_t phase;

static void *simulate(void *arg)
{
    int id = *(int *)arg;
    int per = CELLS / THREADS;
    int from = id * per;
    int next[CELLS / THREADS];

    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < per; i++) {
            int at = from + i;
            int left = at > 0 ? grid[at - 1] : 0;
            int right = at < CELLS - 1 ? grid[at + 1] : 0;
            next[i] = (left + 2 * grid[at] + right) / 4;
        }
        for (int i = 0; i < per; i++)
            grid[from + i] = next[i];
        pthread_barrier_wait(&phase);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int ids[THREADS];

    for (int i = 0; i < CELLS; i++)
        grid[i] = 100 * i;
    if (pthread_barrier_init(&phase, NULL, THREADS) != 0)
        return EXIT_FAILURE;
    for (int i = 0; i < THREADS; i++) {
        ids[i] = i;
        if (pthread_create(&t[i], NULL, simulate, &ids[i]) != 0)
            return EXIT_FAILURE;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < CELLS; i++)
        printf("%d ", grid[i]);
    printf("\n");
    pthread_barrier_destroy(&phase);
    return EXIT_SUCCESS;
}
