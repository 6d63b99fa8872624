// expect: safe
// why: two counting semaphores and a mutex around the indices; as many posts as waits
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 2
#define PER_THREAD 2
#define PAIRS 2

static struct {
    int slots[SLOTS];
    unsigned in, out;
    sem_t free_slots, filled;
    pthread_mutex_t lock;
} ring;

static void ring_put(int v)
{
    sem_wait(&ring.free_slots);
    pthread_mutex_lock(&ring.lock);
    ring.slots[ring.in++ % SLOTS] = v;
    pthread_mutex_unlock(&ring.lock);
    sem_post(&ring.filled);
}

static int ring_get(void)
{
    sem_wait(&ring.filled);
    pthread_mutex_lock(&ring.lock);
    int v = ring.slots[ring.out++ % SLOTS];
    pthread_mutex_unlock(&ring.lock);
    sem_post(&ring.free_slots);
    return v;
}

static void *producer(void *arg)
{
    int base = *(int *)arg;
    for (int i = 0; i < PER_THREAD; i++)
        ring_put(base + i);
    return NULL;
}

static void *consumer(void *arg)
{
    int *sum = arg;
    for (int i = 0; i < PER_THREAD; i++)
        *sum += ring_get();
    return NULL;
}

int main(void)
{
    pthread_t p[PAIRS], c[PAIRS];
    int bases[PAIRS] = { 1, 100 }, sums[PAIRS] = { 0, 0 };

    if (sem_init(&ring.free_slots, 0, SLOTS) != 0 || sem_init(&ring.filled, 0, 0) != 0) {
        perror("sem_init");
        return 1;
    }
    pthread_mutex_init(&ring.lock, NULL);
    for (int i = 0; i < PAIRS; i++) {
        if (pthread_create(&p[i], NULL, producer, &bases[i]) != 0)
            abort();
        if (pthread_create(&c[i], NULL, consumer, &sums[i]) != 0)
            abort();
    }
    for (int i = 0; i < PAIRS; i++) {
        pthread_join(p[i], NULL);
        pthread_join(c[i], NULL);
    }
    assert(sums[0] + sums[1] == 1 + 2 + 100 + 101);
    pthread_mutex_destroy(&ring.lock);
    sem_destroy(&ring.free_slots);
    sem_destroy(&ring.filled);
    return 0;
}
