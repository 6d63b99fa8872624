// expect[sc]: safe
// expect[tso]: safe
// expect[pso]: unsafe
// expect[rc11]: unsafe
// property: reach,assert
// engines: declarative
// why: a relaxed store may be seen before the data
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int full;

static void *first(void *arg)
{
    data = 1;
    atomic_store_explicit(&full, 1, memory_order_relaxed);
    return 0;
}

static void *second(void *arg)
{
    while (!atomic_load_explicit(&full, memory_order_acquire))
        ;
    int d = data;
    assert(d == 1);
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
