// expect: safe
// why: threads post events to a loop that dispatches through a table of handlers until it gets the quit event
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum event_type { EV_DATA, EV_TIMEOUT, EV_QUIT, EV_TYPES };

struct event {
    enum event_type type;
    int value;
};

struct loop {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    struct event queue[8];
    unsigned head, tail;
    int data_sum, timeouts, quit;
};

typedef void (*handler)(struct loop *, const struct event *);

static void on_data(struct loop *l, const struct event *e)
{
    l->data_sum += e->value;
}

static void on_timeout(struct loop *l, const struct event *e)
{
    (void)e;
    l->timeouts++;
}

static void on_quit(struct loop *l, const struct event *e)
{
    (void)e;
    l->quit = 1;
}

static const handler handlers[EV_TYPES] = {
    [EV_DATA] = on_data,
    [EV_TIMEOUT] = on_timeout,
    [EV_QUIT] = on_quit,
};

static int loop_post(struct loop *l, enum event_type type, int value)
{
    int rc = -1;
    pthread_mutex_lock(&l->lock);
    if (l->tail - l->head < 8) {
        l->queue[l->tail++ % 8] = (struct event){ type, value };
        pthread_cond_signal(&l->posted);
        rc = 0;
    }
    pthread_mutex_unlock(&l->lock);
    return rc;
}

static void *loop_run(void *arg)
{
    struct loop *l = arg;
    while (!l->quit) {
        pthread_mutex_lock(&l->lock);
        while (l->head == l->tail)
            pthread_cond_wait(&l->posted, &l->lock);
        struct event e = l->queue[l->head++ % 8];
        pthread_mutex_unlock(&l->lock);
        handlers[e.type](l, &e);
    }
    return NULL;
}

static void *source(void *arg)
{
    struct loop *l = arg;
    loop_post(l, EV_DATA, 3);
    loop_post(l, EV_TIMEOUT, 0);
    loop_post(l, EV_DATA, 4);
    return NULL;
}

int main(void)
{
    static struct loop loop = { .lock = PTHREAD_MUTEX_INITIALIZER, .posted = PTHREAD_COND_INITIALIZER };
    pthread_t runner, sources[2];

    if (pthread_create(&runner, NULL, loop_run, &loop) != 0)
        abort();
    for (int i = 0; i < 2; i++)
        if (pthread_create(&sources[i], NULL, source, &loop) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(sources[i], NULL);
    if (loop_post(&loop, EV_QUIT, 0) != 0)
        abort();
    pthread_join(runner, NULL);
    assert(loop.data_sum == 14);
    assert(loop.timeouts == 2);
    return 0;
}
