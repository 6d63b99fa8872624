// expect[sc]: safe
// expect[tso]: safe
// expect[pso]: safe
// expect[rc11]: safe
// property: reach,assert
// engines: declarative
// why: the reader spins without end until it sees the flag
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int full;

static void *first(void *arg)
{
    data = 1;
    atomic_store_explicit(&full, 1, memory_order_release);
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
