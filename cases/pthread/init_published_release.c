// expect[race]: safe
// expect[rc11]: safe
// A mutex is initialised and used by one thread, which then says so by a releasing store that the other one acquires.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex;
static atomic_int ready;

static void *maker(void *unused)
{
    pthread_mutex_init(&mutex, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

static void *user(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_acquire)) {
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
