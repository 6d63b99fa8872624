// expect: unsafe
// why: (use after free) the last user frees the object and then unlocks the mutex inside it
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct channel {
    pthread_mutex_t lock;
    int users;
    int messages;
};

static struct channel *channel_open(int users)
{
    struct channel *c = malloc(sizeof *c);
    if (c == NULL) {
        perror("malloc");
        exit(EXIT_FAILURE);
    }
    pthread_mutex_init(&c->lock, NULL);
    c->users = users;
    c->messages = 0;
    return c;
}

static void channel_send(struct channel *c)
{
    pthread_mutex_lock(&c->lock);
    c->messages++;
    pthread_mutex_unlock(&c->lock);
}

static void channel_leave(struct channel *c)
{
    pthread_mutex_lock(&c->lock);
    if (--c->users == 0) {
        printf("channel closed after %d messages\n", c->messages);
        free(c);
    }
    pthread_mutex_unlock(&c->lock);
}

static void *user(void *arg)
{
    struct channel *c = arg;
    for (int i = 0; i < 2; i++)
        channel_send(c);
    channel_leave(c);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    struct channel *c = channel_open(2);

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, user, c) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return EXIT_SUCCESS;
}
