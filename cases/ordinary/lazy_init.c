// expect: safe
// why: double-checked locking with an acquire load and a release store of the pointer
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define TABLE 16

struct table {
    int squares[TABLE];
};

static _Atomic(struct table *) instance;
static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static int built;

static struct table *build(void)
{
    struct table *t = malloc(sizeof *t);
    if (t == NULL)
        abort();
    for (int i = 0; i < TABLE; i++)
        t->squares[i] = i * i;
    built++;
    return t;
}

static const struct table *get_table(void)
{
    struct table *t = atomic_load_explicit(&instance, memory_order_acquire);
    if (t == NULL) {
        pthread_mutex_lock(&init_lock);
        t = atomic_load_explicit(&instance, memory_order_relaxed);
        if (t == NULL) {
            t = build();
            atomic_store_explicit(&instance, t, memory_order_release);
        }
        pthread_mutex_unlock(&init_lock);
    }
    return t;
}

static void *user(void *arg)
{
    int n = *(int *)arg;
    assert(get_table()->squares[n] == n * n);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int numbers[3] = { 3, 7, 12 };

    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, user, &numbers[i]) != 0)
            abort();
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(built == 1);
    free(atomic_load(&instance));
    return 0;
}
