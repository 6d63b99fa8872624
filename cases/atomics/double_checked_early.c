// expect: unsafe at 33
// expect[race]: unsafe
// property: basic
// why: the pointer is published before what it points to
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct config { int limit; int rate; };
static struct config storage;
static _Atomic(struct config *) instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct config *config(void)
{
    struct config *c = atomic_load(&instance);
    if (!c) {
        pthread_mutex_lock(&lock);
        c = atomic_load(&instance);
        if (!c) {
            c = &storage;
            atomic_store(&instance, c);
            c->limit = 10; c->rate = 3;
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
