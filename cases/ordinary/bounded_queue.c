// expect: safe
// why: waits are in loops, and each side tells the other; all items arrive
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define CAPACITY 4
#define PER_PRODUCER 3

struct queue {
    int items[CAPACITY];
    int head, count;
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
};

struct endpoint {
    struct queue *q;
    int base;
    int sum;
};

static void queue_init(struct queue *q)
{
    q->head = q->count = 0;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_full, NULL);
    pthread_cond_init(&q->not_empty, NULL);
}

static void queue_destroy(struct queue *q)
{
    pthread_cond_destroy(&q->not_empty);
    pthread_cond_destroy(&q->not_full);
    pthread_mutex_destroy(&q->lock);
}

static void queue_put(struct queue *q, int item)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == CAPACITY)
        pthread_cond_wait(&q->not_full, &q->lock);
    q->items[(q->head + q->count) % CAPACITY] = item;
    q->count++;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

static int queue_get(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == 0)
        pthread_cond_wait(&q->not_empty, &q->lock);
    int item = q->items[q->head];
    q->head = (q->head + 1) % CAPACITY;
    q->count--;
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
    return item;
}

static void *producer(void *arg)
{
    struct endpoint *e = arg;
    for (int i = 0; i < PER_PRODUCER; i++)
        queue_put(e->q, e->base + i);
    return NULL;
}

static void *consumer(void *arg)
{
    struct endpoint *e = arg;
    for (int i = 0; i < PER_PRODUCER; i++)
        e->sum += queue_get(e->q);
    return NULL;
}

int main(void)
{
    struct queue q;
    struct endpoint ends[4];
    pthread_t t[4];

    queue_init(&q);
    for (int i = 0; i < 4; i++) {
        ends[i] = (struct endpoint){ .q = &q, .base = 10 * i, .sum = 0 };
        if (pthread_create(&t[i], NULL, i % 2 ? consumer : producer, &ends[i]) != 0)
            abort();
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(ends[1].sum + ends[3].sum == (0 + 1 + 2) + (20 + 21 + 22));
    queue_destroy(&q);
    return 0;
}
