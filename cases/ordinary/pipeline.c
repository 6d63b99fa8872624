// expect: safe
// why: three stages connected by bounded queues; a null pointer tells the next stage that there is no more; the last one frees
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 2

struct channel {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *slots[DEPTH];
    int head, count;
};

#define CHANNEL_INIT { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER }

static struct channel raw = CHANNEL_INIT, cooked = CHANNEL_INIT;

static void channel_send(struct channel *c, char *item)
{
    pthread_mutex_lock(&c->lock);
    while (c->count == DEPTH)
        pthread_cond_wait(&c->changed, &c->lock);
    c->slots[(c->head + c->count++) % DEPTH] = item;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static char *channel_receive(struct channel *c)
{
    pthread_mutex_lock(&c->lock);
    while (c->count == 0)
        pthread_cond_wait(&c->changed, &c->lock);
    char *item = c->slots[c->head];
    c->head = (c->head + 1) % DEPTH;
    c->count--;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return item;
}

static void *reader(void *arg)
{
    static const char *const lines[] = { "get", "put" };
    (void)arg;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char *copy = strdup(lines[i]);
        if (copy == NULL)
            abort();
        channel_send(&raw, copy);
    }
    channel_send(&raw, NULL);
    return NULL;
}

static void *upcase(void *arg)
{
    char *line;
    (void)arg;
    while ((line = channel_receive(&raw)) != NULL) {
        for (char *s = line; *s != '\0'; s++)
            *s = (char)toupper((unsigned char)*s);
        channel_send(&cooked, line);
    }
    channel_send(&cooked, NULL);
    return NULL;
}

int main(void)
{
    pthread_t r, u;
    char *line;
    int lines = 0;

    if (pthread_create(&r, NULL, reader, NULL) != 0 || pthread_create(&u, NULL, upcase, NULL) != 0)
        abort();
    while ((line = channel_receive(&cooked)) != NULL) {
        assert(isupper((unsigned char)line[0]));
        puts(line);
        free(line);
        lines++;
    }
    pthread_join(r, NULL);
    pthread_join(u, NULL);
    assert(lines == 2);
    return 0;
}
