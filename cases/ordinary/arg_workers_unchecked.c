// expect: unsafe
// why: (invalid access) the number of workers is read from stdin and only its lower bound is checked: with 5 the arrays of 4 are overrun
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_WORKERS 4

static int ids[MAX_WORKERS];
static long results[MAX_WORKERS];

static void *work(void *arg)
{
    int id = *(int *)arg;
    results[id] = (long)id * id;
    return NULL;
}

static int read_count(void)
{
    char line[32];

    printf("workers? ");
    if (fgets(line, sizeof line, stdin) == NULL)
        return 1;
    int n = atoi(line);
    return n < 1 ? 1 : n;
}

int main(void)
{
    pthread_t threads[MAX_WORKERS];
    int n = read_count();
    long total = 0;

    for (int i = 0; i < n; i++) {
        ids[i] = i;
        if (pthread_create(&threads[i], NULL, work, &ids[i]) != 0) {
            fprintf(stderr, "cannot start worker %d\n", i);
            exit(EXIT_FAILURE);
        }
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        total += results[i];
    }
    printf("total %ld\n", total);
    return EXIT_SUCCESS;
}
