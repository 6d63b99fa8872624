// expect[race]: unsafe
// why: the store of the thread that main has joined comes before main's load, as in one thread: both loads may miss both stores
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
    atomic_store_explicit(&x, 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(b, 0);
    if (atomic_load_explicit(&y, memory_order_acquire) == 0)
        hit = 2;
    pthread_join(a, 0);
    return 0;
}
