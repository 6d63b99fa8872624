// expect: safe
// why: the number of workers comes from the command line and is checked; all arrays have that size
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_WORKERS 8

struct worker {
    pthread_t thread;
    int id;
    unsigned long result;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    unsigned long h = 5381;
    for (int i = 0; i < 4; i++)
        h = h * 33 + (unsigned long)(w->id + i);
    w->result = h;
    return NULL;
}

static int parse_count(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end != '\0' || n < 1 || n > MAX_WORKERS)
        return -1;
    return (int)n;
}

int main(int argc, char *argv[])
{
    int n = 2;

    if (argc > 1)
        n = parse_count(argv[1]);
    if (n < 0) {
        fprintf(stderr, "usage: %s [workers, at most %d]\n", argv[0], MAX_WORKERS);
        return EXIT_FAILURE;
    }
    struct worker *workers = calloc((size_t)n, sizeof *workers);
    if (workers == NULL) {
        perror("calloc");
        return EXIT_FAILURE;
    }
    int started = 0;
    for (int i = 0; i < n; i++) {
        workers[i].id = i;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            break;
        started++;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        printf("%d: %lx\n", i, workers[i].result);
    }
    free(workers);
    return EXIT_SUCCESS;
}
