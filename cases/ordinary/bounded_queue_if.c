// expect: unsafe
// why: (assert) get() waits with `if`: woken (or without reason) it may find the queue empty again, since another consumer was faster
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define CAPACITY 4
#define ROUNDS 2

static struct {
    int items[CAPACITY];
    int head, count;
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
} q = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .not_full = PTHREAD_COND_INITIALIZER,
    .not_empty = PTHREAD_COND_INITIALIZER,
};

static void put(int item)
{
    pthread_mutex_lock(&q.lock);
    while (q.count == CAPACITY)
        pthread_cond_wait(&q.not_full, &q.lock);
    q.items[(q.head + q.count) % CAPACITY] = item;
    q.count++;
    pthread_cond_signal(&q.not_empty);
    pthread_mutex_unlock(&q.lock);
}

static int get(void)
{
    pthread_mutex_lock(&q.lock);
    if (q.count == 0)
        pthread_cond_wait(&q.not_empty, &q.lock);
    assert(q.count > 0);
    int item = q.items[q.head];
    q.head = (q.head + 1) % CAPACITY;
    q.count--;
    pthread_cond_signal(&q.not_full);
    pthread_mutex_unlock(&q.lock);
    return item;
}

static void *producer(void *arg)
{
    int base = *(int *)arg;
    for (int i = 0; i < 2 * ROUNDS; i++)
        put(base + i);
    return NULL;
}

static void *consumer(void *arg)
{
    int *total = arg;
    for (int i = 0; i < ROUNDS; i++)
        *total += get();
    return NULL;
}

int main(void)
{
    pthread_t p, c[2];
    int base = 100, totals[2] = { 0, 0 };

    if (pthread_create(&p, NULL, producer, &base) != 0)
        return 1;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&c[i], NULL, consumer, &totals[i]) != 0)
            exit(1);
    pthread_join(p, NULL);
    pthread_join(c[0], NULL);
    pthread_join(c[1], NULL);
    return totals[0] + totals[1] > 0 ? 0 : 1;
}
