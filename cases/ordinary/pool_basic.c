// expect: safe
// why: a thread pool drains its queue before the workers leave; every task is freed once
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 2
#define TASKS 4

typedef void (*task_fn)(void *);

struct task {
    task_fn fn;
    void *arg;
    struct task *next;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct task *head, *tail;
    int stopping;
    pthread_t threads[WORKERS];
};

static void *pool_main(void *arg)
{
    struct pool *p = arg;

    for (;;) {
        pthread_mutex_lock(&p->lock);
        while (p->head == NULL && !p->stopping)
            pthread_cond_wait(&p->wake, &p->lock);
        if (p->head == NULL) {
            pthread_mutex_unlock(&p->lock);
            return NULL;
        }
        struct task *t = p->head;
        p->head = t->next;
        if (p->head == NULL)
            p->tail = NULL;
        pthread_mutex_unlock(&p->lock);

        t->fn(t->arg);
        free(t);
    }
}

static int pool_start(struct pool *p)
{
    p->head = p->tail = NULL;
    p->stopping = 0;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&p->threads[i], NULL, pool_main, p) != 0)
            return -1;
    return 0;
}

static int pool_submit(struct pool *p, task_fn fn, void *arg)
{
    struct task *t = malloc(sizeof *t);
    if (t == NULL)
        return -1;
    t->fn = fn;
    t->arg = arg;
    t->next = NULL;
    pthread_mutex_lock(&p->lock);
    if (p->tail)
        p->tail->next = t;
    else
        p->head = t;
    p->tail = t;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

static void pool_stop(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->stopping = 1;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
}

static void square(void *arg)
{
    int *x = arg;
    *x = *x * *x;
}

int main(void)
{
    struct pool pool;
    int data[TASKS];

    if (pool_start(&pool) != 0) {
        fprintf(stderr, "cannot start the pool\n");
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < TASKS; i++) {
        data[i] = i + 1;
        if (pool_submit(&pool, square, &data[i]) != 0)
            exit(EXIT_FAILURE);
    }
    pool_stop(&pool);
    for (int i = 0; i < TASKS; i++)
        assert(data[i] == (i + 1) * (i + 1));
    return 0;
}
