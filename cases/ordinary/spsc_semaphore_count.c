// expect: unsafe
// why: (race) the semaphore of free slots starts with one too many: the producer may write the slot that the consumer is reading
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 3
#define ITEMS 6

struct pipe_ring {
    int slots[SLOTS];
    int in, out;
    sem_t space, items;
};

static struct pipe_ring ring;

static void *producer(void *arg)
{
    struct pipe_ring *r = arg;
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&r->space);
        r->slots[r->in] = i * i;
        r->in = (r->in + 1) % SLOTS;
        sem_post(&r->items);
    }
    return NULL;
}

static void *consumer(void *arg)
{
    struct pipe_ring *r = arg;
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&r->items);
        int v = r->slots[r->out];
        r->out = (r->out + 1) % SLOTS;
        sem_post(&r->space);
        printf("%d\n", v);
    }
    return NULL;
}

int main(void)
{
    pthread_t p, c;

    if (sem_init(&ring.space, 0, SLOTS + 1) != 0 || sem_init(&ring.items, 0, 0) != 0) {
        perror("sem_init");
        return EXIT_FAILURE;
    }
    if (pthread_create(&p, NULL, producer, &ring) != 0 || pthread_create(&c, NULL, consumer, &ring) != 0)
        exit(EXIT_FAILURE);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    sem_destroy(&ring.space);
    sem_destroy(&ring.items);
    return EXIT_SUCCESS;
}
