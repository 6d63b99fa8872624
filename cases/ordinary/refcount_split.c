// expect: unsafe
// why: (free) the decrement and the test for zero are two steps: both threads may see zero and free the object twice (or read it freed)
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct session {
    atomic_int refs;
    int user;
    int hits;
};

static struct session *session_open(int user)
{
    struct session *s = calloc(1, sizeof *s);
    if (s != NULL) {
        atomic_init(&s->refs, 1);
        s->user = user;
    }
    return s;
}

static void session_ref(struct session *s)
{
    atomic_fetch_add(&s->refs, 1);
}

static void session_unref(struct session *s)
{
    atomic_fetch_sub(&s->refs, 1);
    if (atomic_load(&s->refs) == 0)
        free(s);
}

static void *handle(void *arg)
{
    struct session *s = arg;
    printf("user %d\n", s->user);
    session_unref(s);
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct session *s = session_open(42);

    if (s == NULL)
        return EXIT_FAILURE;
    session_ref(s);
    if (pthread_create(&t, NULL, handle, s) != 0)
        return EXIT_FAILURE;
    session_unref(s);
    pthread_join(t, NULL);
    return EXIT_SUCCESS;
}
