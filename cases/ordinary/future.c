// expect: safe
// why: a promise on the heap with two owners; who comes last frees it, also if the waiter gives up
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct future {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int done, value;
    int owners;
};

static struct future *future_new(void)
{
    struct future *f = malloc(sizeof *f);
    if (f == NULL)
        abort();
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->ready, NULL);
    f->done = f->value = 0;
    f->owners = 2;
    return f;
}

static void future_release(struct future *f)
{
    pthread_mutex_lock(&f->lock);
    int left = --f->owners;
    pthread_mutex_unlock(&f->lock);
    if (left == 0) {
        pthread_cond_destroy(&f->ready);
        pthread_mutex_destroy(&f->lock);
        free(f);
    }
}

static void future_set(struct future *f, int value)
{
    pthread_mutex_lock(&f->lock);
    f->value = value;
    f->done = 1;
    pthread_cond_signal(&f->ready);
    pthread_mutex_unlock(&f->lock);
}

static int future_wait(struct future *f, const struct timespec *until, int *value)
{
    int rc = 0;
    pthread_mutex_lock(&f->lock);
    while (!f->done && rc == 0)
        rc = pthread_cond_timedwait(&f->ready, &f->lock, until);
    if (f->done) {
        *value = f->value;
        rc = 0;
    }
    pthread_mutex_unlock(&f->lock);
    return rc;
}

static void *compute(void *arg)
{
    struct future *f = arg;
    future_set(f, 6 * 7);
    future_release(f);
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct timespec until;
    struct future *f = future_new();
    int value = 0;

    if (pthread_create(&t, NULL, compute, f) != 0)
        abort();
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    int rc = future_wait(f, &until, &value);
    future_release(f);
    assert(rc == 0 ? value == 42 : value == 0);
    pthread_join(t, NULL);
    return 0;
}
