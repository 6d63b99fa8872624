// expect: safe
// expect[race]: safe
// why: the pointer is published after what it points to
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct config { int limit; int rate; };
static struct config storage;
static _Atomic(struct config *) instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct config *config(void)
{
    struct config *c = atomic_load_explicit(&instance, memory_order_acquire);
    if (!c) {
        pthread_mutex_lock(&lock);
        c = atomic_load_explicit(&instance, memory_order_acquire);
        if (!c) {
            c = &storage; c->limit = 10; c->rate = 3;
            atomic_store_explicit(&instance, c, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return c;
}

static void *user(void *unused)
{
    struct config *c = config();
    assert(c->limit == 10 && c->rate == 3);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
