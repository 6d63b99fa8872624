// expect: unsafe
// why: (invalid access) LOG_OFFSET may be negative, and then so is the remainder: the ring's index lies before its array
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING 8
#define WRITERS 2

struct ring_log {
    pthread_mutex_t lock;
    int next;
    int *codes;
};

static struct ring_log ring = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void ring_write(struct ring_log *r, int code)
{
    pthread_mutex_lock(&r->lock);
    r->codes[r->next] = code;
    r->next = (r->next + 1) % RING;
    pthread_mutex_unlock(&r->lock);
}

static void *writer(void *arg)
{
    int first = *(int *)arg;
    for (int i = 0; i < 3; i++)
        ring_write(&ring, first + i);
    return NULL;
}

int main(void)
{
    pthread_t t[WRITERS];
    int firsts[WRITERS] = { 100, 200 };
    const char *offset = getenv("LOG_OFFSET");

    ring.codes = calloc(RING, sizeof *ring.codes);
    if (ring.codes == NULL)
        return EXIT_FAILURE;
    if (offset != NULL)
        ring.next = (int)(strtol(offset, NULL, 10) % RING);
    for (int i = 0; i < WRITERS; i++)
        if (pthread_create(&t[i], NULL, writer, &firsts[i]) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < RING; i++)
        printf("%d\n", ring.codes[i]);
    free(ring.codes);
    return EXIT_SUCCESS;
}
