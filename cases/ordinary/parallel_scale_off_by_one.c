// expect: unsafe
// why: (race) each worker's last index is inclusive and also the next worker's first (and the last worker's lies beyond the array)
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2
#define ITEMS 8

struct slice {
    int *data;
    int first, last;
    int factor;
};

static void *scale(void *arg)
{
    const struct slice *s = arg;
    for (int i = s->first; i <= s->last; i++)
        s->data[i] *= s->factor;
    return NULL;
}

int main(void)
{
    int *data = malloc(ITEMS * sizeof *data);
    struct slice slices[THREADS];
    pthread_t t[THREADS];

    if (data == NULL)
        return EXIT_FAILURE;
    for (int i = 0; i < ITEMS; i++)
        data[i] = i;
    for (int i = 0; i < THREADS; i++) {
        int per = ITEMS / THREADS;
        slices[i] = (struct slice){ data, i * per, (i + 1) * per, 3 };
        if (pthread_create(&t[i], NULL, scale, &slices[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < ITEMS; i++)
        printf("%d\n", data[i]);
    free(data);
    return EXIT_SUCCESS;
}
