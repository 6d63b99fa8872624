// expect: unsafe
// why: (deadlock) pool_stop signals instead of broadcasting: when two workers sleep, only one wakes and the join waits for ever
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 3
#define QUEUE 8

struct job {
    void (*run)(int);
    int arg;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct job jobs[QUEUE];
    unsigned head, tail;
    int stopping;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

static pthread_mutex_t out = PTHREAD_MUTEX_INITIALIZER;
static int finished;

static void print_job(int n)
{
    pthread_mutex_lock(&out);
    finished++;
    printf("job %d done\n", n);
    pthread_mutex_unlock(&out);
}

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.head == pool.tail && !pool.stopping)
            pthread_cond_wait(&pool.wake, &pool.lock);
        if (pool.head == pool.tail)
            break;
        struct job j = pool.jobs[pool.head++ % QUEUE];
        pthread_mutex_unlock(&pool.lock);
        j.run(j.arg);
        pthread_mutex_lock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

static int submit(void (*run)(int), int arg)
{
    int rc = -1;
    pthread_mutex_lock(&pool.lock);
    if (pool.tail - pool.head < QUEUE) {
        pool.jobs[pool.tail++ % QUEUE] = (struct job){ run, arg };
        pthread_cond_signal(&pool.wake);
        rc = 0;
    }
    pthread_mutex_unlock(&pool.lock);
    return rc;
}

static void stop(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.stopping = 1;
    pthread_cond_signal(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
}

int main(void)
{
    pthread_t threads[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&threads[i], NULL, worker, NULL) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < 2; i++)
        if (submit(print_job, i) != 0)
            fprintf(stderr, "queue full\n");
    stop();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
