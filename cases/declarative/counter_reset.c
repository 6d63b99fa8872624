// expect[sc]: unsafe
// expect[tso]: unsafe
// expect[rc11]: unsafe
// property: reach,assert
// engines: declarative
// knobs: declarative.domain=pred
// why: the counter is reset to less than zero
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int ticks;

static void *ticker(void *arg)
{
    int n = 0;
    for (;;) {
        if (n < 2)
            n = n + 1;
        else
            n = -1;
        atomic_store_explicit(&ticks, n, memory_order_relaxed);
    }
    return 0;
}

static void *reader(void *arg)
{
    for (;;) {
        int seen = atomic_load_explicit(&ticks, memory_order_relaxed);
        assert(seen >= 0);
    }
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, ticker, 0);
    pthread_create(&other, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
