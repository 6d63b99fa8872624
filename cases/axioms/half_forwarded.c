// expect[aarch64]: unknown
// expect[power]: unknown
// expect[rc11]: unknown
// expect[sc]: safe
// property: reach,assert
// why: a thread that has changed one byte may read that byte from its own buffer and the other byte from a write that it has not seen whole; no two accesses of a thread are needed for that, so no cycle of program order shows it
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

union word {
    atomic_ushort both;
    struct {
        atomic_uchar low;
        atomic_uchar high;
    };
};

static union word word;

static void *sets_high(void *arg)
{
    atomic_store_explicit(&word.both, 0xff00, memory_order_relaxed);
    return arg;
}

static void *sets_low(void *arg)
{
    atomic_store_explicit(&word.both, 0x00ff, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t high, low;
    pthread_create(&high, NULL, sets_high, NULL);
    pthread_create(&low, NULL, sets_low, NULL);
    atomic_fetch_or_explicit(&word.low, 0, memory_order_relaxed);
    assert(atomic_load_explicit(&word.both, memory_order_relaxed) != 0xffff);
    pthread_join(high, NULL);
    pthread_join(low, NULL);
    return 0;
}
