// expect: unsafe
// property: basic
// why: two threads may both see that the count is zero
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared { atomic_int refs; int data; };

static void get(struct shared *s) { atomic_fetch_add(&s->refs, 1); }

static void put(struct shared *s)
{
    atomic_fetch_sub(&s->refs, 1);
    if (atomic_load(&s->refs) == 0) free(s);
}

static void *user(void *arg)
{
    struct shared *s = arg;
    int data = s->data;
    assert(data == 42);
    put(s);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    struct shared *s = malloc(sizeof *s);
    if (!s) return 0;
    atomic_init(&s->refs, 1);
    s->data = 42;
    get(s);
    pthread_create(&a, 0, user, s);
    get(s);
    pthread_create(&b, 0, user, s);
    put(s);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
