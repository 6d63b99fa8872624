// expect[sc]: safe
// expect[tso]: safe
// expect[pso]: safe
// expect[rc11]: safe
// property: reach,assert
// engines: declarative
// why: a reader that looks again and again, while a number says whether it saw one state
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int seq, left, right;

static void *first(void *arg)
{
    for (;;) {
        atomic_store_explicit(&seq, 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&left, 1, memory_order_relaxed);
        atomic_store_explicit(&right, 1, memory_order_relaxed);
        atomic_store_explicit(&seq, 2, memory_order_release);
        break;
    }
    return 0;
}

static void *second(void *arg)
{
    for (;;) {
        int before = atomic_load_explicit(&seq, memory_order_acquire);
        if (before == 1)
            continue;
        int l = atomic_load_explicit(&left, memory_order_relaxed);
        int r = atomic_load_explicit(&right, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&seq, memory_order_relaxed) == before)
            assert(l == r);
    }
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
