// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[aarch64]: unsafe
// expect[power]: unsafe
// property: reach,assert
// engines: bmc
// why: the number is read again without an acquire fence before: what was read may be newer than the number says
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint sequence;
atomic_int one, other;

static void *writer(void *arg)
{
    unsigned before;
    do {
        before = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before & 1 || !atomic_compare_exchange_strong_explicit(&sequence, &before, before + 1, memory_order_acquire, memory_order_relaxed));
    atomic_thread_fence(memory_order_release);
    int value = atomic_load_explicit(&one, memory_order_relaxed) + 1;
    atomic_store_explicit(&one, value, memory_order_relaxed);
    atomic_store_explicit(&other, value, memory_order_relaxed);
    atomic_store_explicit(&sequence, before + 2, memory_order_release);
    return 0;
}

static void *reader(void *arg)
{
    unsigned before, after;
    int first, second;
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        first = atomic_load_explicit(&one, memory_order_relaxed);
        second = atomic_load_explicit(&other, memory_order_relaxed);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before & 1 || before != after);
    assert(first == second);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, writer, 0);
    pthread_create(&threads[2], 0, reader, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
