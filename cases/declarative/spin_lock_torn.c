// expect[sc]: unsafe
// expect[tso]: unsafe
// expect[rc11]: unsafe
// property: reach,assert
// engines: declarative
// why: looking and taking are two steps
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
int crit;

static void *first(void *arg)
{
    for (;;) {
        while (atomic_load_explicit(&lock, memory_order_relaxed))
            ;
        atomic_store_explicit(&lock, 1, memory_order_relaxed);
        crit = 1;
        int c = crit;
        assert(c == 1);
        crit = 0;
        atomic_store_explicit(&lock, 0, memory_order_release);
    }
}

static void *second(void *arg)
{
    for (;;) {
        while (atomic_load_explicit(&lock, memory_order_relaxed))
            ;
        atomic_store_explicit(&lock, 1, memory_order_relaxed);
        crit = 2;
        int c = crit;
        assert(c == 2);
        crit = 0;
        atomic_store_explicit(&lock, 0, memory_order_release);
    }
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
