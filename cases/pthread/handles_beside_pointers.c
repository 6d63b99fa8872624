// expect: safe
// why: handles lie in a structure beside pointers, so that what is joined may seem to be an address; beside the address of a table it is a number
#include <pthread.h>
#include <stdlib.h>

#define WORKERS 2

struct task {
    void (*run)(int *);
    struct task *next;
    int *arg;
};

struct pool {
    pthread_mutex_t lock;
    struct task *head;
    pthread_t threads[WORKERS];
};

static void twice(int *number)
{
    *number *= 2;
}

static void *work(void *arg)
{
    struct pool *pool = arg;
    pthread_mutex_lock(&pool->lock);
    struct task *task = pool->head;
    if (task)
        pool->head = task->next;
    pthread_mutex_unlock(&pool->lock);
    if (task) {
        task->run(task->arg);
        free(task);
    }
    return 0;
}

int main(void)
{
    struct pool pool = { .head = 0 };
    int number = 4;
    pthread_mutex_init(&pool.lock, 0);
    struct task *task = malloc(sizeof *task);
    if (!task)
        return 1;
    *task = (struct task){ twice, 0, &number };
    pool.head = task;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&pool.threads[i], 0, work, &pool);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(pool.threads[i], 0);
    pthread_mutex_destroy(&pool.lock);
    return number == 8 ? 0 : 1;
}
