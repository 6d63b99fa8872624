// expect: unsafe
// why: (free) the state is read under the lock, the lock given back, and the state changed later: two threads may both close and free the buffer
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum state { OPEN, CLOSED };

struct stream {
    pthread_mutex_t lock;
    enum state state;
    char *buffer;
};

static enum state stream_state(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    enum state st = s->state;
    pthread_mutex_unlock(&s->lock);
    return st;
}

static void stream_close(struct stream *s)
{
    if (stream_state(s) == CLOSED)
        return;
    pthread_mutex_lock(&s->lock);
    s->state = CLOSED;
    free(s->buffer);
    pthread_mutex_unlock(&s->lock);
}

static void *closer(void *arg)
{
    stream_close(arg);
    return NULL;
}

int main(void)
{
    struct stream s = { .state = OPEN };
    pthread_t t[2];

    pthread_mutex_init(&s.lock, NULL);
    s.buffer = malloc(64);
    if (s.buffer == NULL)
        return EXIT_FAILURE;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, closer, &s) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("state %d\n", stream_state(&s));
    pthread_mutex_destroy(&s.lock);
    return EXIT_SUCCESS;
}
