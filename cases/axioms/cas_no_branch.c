// expect[aarch64]: unsafe
// expect[imm]: unsafe
// expect[power]: safe
// property: reach,assert
// engines: bmc
// why: an instruction that compares and swaps has no branch, so a later store need not wait for what it reads; the loop that Power needs branches
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int found, seen;

static void *swaps(void *arg)
{
    (void)arg;
    int expected = 0;
    atomic_compare_exchange_strong_explicit(&x, &expected, 5, memory_order_relaxed, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    found = expected;
    return 0;
}

static void *hands_on(void *arg)
{
    (void)arg;
    int read = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, read + 1, memory_order_relaxed);
    seen = read;
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, swaps, 0);
    pthread_create(&two, 0, hands_on, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(!(found == 2 && seen == 1));
    return 0;
}
