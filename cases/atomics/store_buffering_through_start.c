// expect[race]: unsafe
// why: the store of main comes before the load of the thread that it starts, as in one thread: both loads may miss both stores, and then both threads write `hit`
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int hit;

static void *first(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_release);
    if (atomic_load_explicit(&x, memory_order_acquire) == 0)
        hit = 1;
    return arg;
}

static void *second(void *arg)
{
    if (atomic_load_explicit(&y, memory_order_acquire) == 0)
        hit = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    atomic_store_explicit(&x, 1, memory_order_release);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
