// expect: safe
// why: each worker has a deque with a lock; it takes from its own end and steals from the other end of others; all tasks run once
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define WORKERS 2
#define TASKS 4

struct deque {
    pthread_mutex_t lock;
    int tasks[TASKS];
    int bottom, top;
};

static struct deque deques[WORKERS];
static atomic_int runs[WORKERS * TASKS];

static void push(struct deque *d, int task)
{
    pthread_mutex_lock(&d->lock);
    assert(d->top < TASKS);
    d->tasks[d->top++] = task;
    pthread_mutex_unlock(&d->lock);
}

static int pop(struct deque *d)
{
    int task = -1;
    pthread_mutex_lock(&d->lock);
    if (d->bottom < d->top)
        task = d->tasks[--d->top];
    pthread_mutex_unlock(&d->lock);
    return task;
}

static int steal(struct deque *d)
{
    int task = -1;
    pthread_mutex_lock(&d->lock);
    if (d->bottom < d->top)
        task = d->tasks[d->bottom++];
    pthread_mutex_unlock(&d->lock);
    return task;
}

static void *worker(void *arg)
{
    int me = *(int *)arg;

    for (;;) {
        int task = pop(&deques[me]);
        for (int k = 1; task < 0 && k < WORKERS; k++)
            task = steal(&deques[(me + k) % WORKERS]);
        if (task < 0)
            return NULL;
        atomic_fetch_add(&runs[task], 1);
    }
}

int main(void)
{
    pthread_t t[WORKERS];
    int ids[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        pthread_mutex_init(&deques[i].lock, NULL);
    for (int i = 0; i < TASKS; i++)
        push(&deques[0], i);
    push(&deques[1], TASKS);
    for (int i = 0; i < WORKERS; i++) {
        ids[i] = i;
        if (pthread_create(&t[i], NULL, worker, &ids[i]) != 0)
            abort();
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i <= TASKS; i++)
        assert(atomic_load(&runs[i]) == 1);
    for (int i = 0; i < WORKERS; i++)
        pthread_mutex_destroy(&deques[i].lock);
    return 0;
}
