// expect[race]: unsafe
// expect[rc11]: unsafe
// A mutex is initialised and used by one thread, which then says so by a relaxed store: another one that sees it may find the mutex as it was before. Locking orders it behind
// the unlocking that it finds, but nothing says that it must find that one.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex;
static atomic_int ready;

static void *maker(void *unused)
{
    pthread_mutex_init(&mutex, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

static void *user(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, maker, 0);
    pthread_create(&threads[1], 0, user, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
