// expect: unsafe
// why: (race) the threads get the address of the loop variable, which main goes on to increment while they read it
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAPPERS 3
#define CHUNK 4

static const int values[MAPPERS * CHUNK + CHUNK] = { 5, 1, 4, 2, 8, 0, 3, 9, 7, 6, 1, 1 };
static long results[MAPPERS + 1];

static void *map(void *arg)
{
    int part = *(int *)arg;
    long sum = 0;

    for (int i = part * CHUNK; i < (part + 1) * CHUNK; i++)
        sum += values[i];
    results[part] = sum;
    return NULL;
}

int main(void)
{
    pthread_t threads[MAPPERS];
    long total = 0;
    int i;

    for (i = 0; i < MAPPERS; i++) {
        if (pthread_create(&threads[i], NULL, map, &i) != 0) {
            perror("pthread_create");
            exit(EXIT_FAILURE);
        }
    }
    for (int k = 0; k < MAPPERS; k++)
        pthread_join(threads[k], NULL);
    for (int k = 0; k < MAPPERS; k++)
        total += results[k];
    printf("total %ld\n", total);
    return 0;
}
