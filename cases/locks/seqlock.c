// expect[rc11]: safe
// expect[imm]: safe
// expect[aarch64]: safe
// expect[power]: safe
// property: reach,assert
// engines: bmc
// why: a sequence lock: writers make the number odd while they write, readers come again if it has changed
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
        atomic_thread_fence(memory_order_acquire);
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
