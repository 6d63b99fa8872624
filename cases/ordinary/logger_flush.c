// expect: safe
// why: lines are collected under a lock; the flusher wakes by time or by need, writes a copy without the lock, and drains at the end
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINES 8
#define WIDTH 32

struct logger {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    char lines[LINES][WIDTH];
    int used;
    int dropped;
    int closing;
    pthread_t flusher;
};

static void deadline_in(struct timespec *ts, long ms)
{
    clock_gettime(CLOCK_REALTIME, ts);
    ts->tv_nsec += ms * 1000000L;
    if (ts->tv_nsec >= 1000000000L) {
        ts->tv_nsec -= 1000000000L;
        ts->tv_sec++;
    }
}

static void log_line(struct logger *l, const char *text)
{
    pthread_mutex_lock(&l->lock);
    if (l->used < LINES) {
        snprintf(l->lines[l->used], WIDTH, "%s", text);
        l->used++;
        if (l->used > LINES / 2)
            pthread_cond_signal(&l->wake);
    } else {
        l->dropped++;
    }
    pthread_mutex_unlock(&l->lock);
}

static void *flush_loop(void *arg)
{
    struct logger *l = arg;
    char batch[LINES][WIDTH];
    int n, closing;

    do {
        struct timespec until;
        deadline_in(&until, 50);
        pthread_mutex_lock(&l->lock);
        while (!l->closing && l->used <= LINES / 2)
            if (pthread_cond_timedwait(&l->wake, &l->lock, &until) == ETIMEDOUT)
                break;
        n = l->used;
        memcpy(batch, l->lines, sizeof batch);
        l->used = 0;
        closing = l->closing;
        pthread_mutex_unlock(&l->lock);
        for (int i = 0; i < n; i++)
            puts(batch[i]);
    } while (!closing);
    return NULL;
}

static void *worker(void *arg)
{
    struct logger *l = arg;
    for (int i = 0; i < 3; i++)
        log_line(l, "request served");
    return NULL;
}

int main(void)
{
    static struct logger logger = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };
    pthread_t w[2];

    if (pthread_create(&logger.flusher, NULL, flush_loop, &logger) != 0)
        abort();
    for (int i = 0; i < 2; i++)
        if (pthread_create(&w[i], NULL, worker, &logger) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(w[i], NULL);
    pthread_mutex_lock(&logger.lock);
    logger.closing = 1;
    pthread_cond_signal(&logger.wake);
    pthread_mutex_unlock(&logger.lock);
    pthread_join(logger.flusher, NULL);
    if (logger.dropped > 0)
        fprintf(stderr, "%d lines dropped\n", logger.dropped);
    return 0;
}
