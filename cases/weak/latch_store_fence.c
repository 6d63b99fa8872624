// expect[sc]: safe
// expect[tso]: safe
// expect[power]: unsafe
// property: reach,assert
// why: a fence between the stores alone does not keep the loads of the other side in order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* Two workers hand a job to each other: the flag says whose it is, the latch wakes. A worker that was woken must find its flag. */
atomic_int latch[2] = { 1, 0 };
atomic_int flag[2] = { 1, 0 };

static void work(int self)
{
    for (;;) {
        while (!atomic_load_explicit(&latch[self], memory_order_relaxed))
            ;
        int is_mine = atomic_load_explicit(&flag[self], memory_order_relaxed);
        assert(is_mine);
        atomic_store_explicit(&latch[self], 0, memory_order_relaxed);
        atomic_store_explicit(&flag[self], 0, memory_order_relaxed);
        atomic_store_explicit(&flag[1 - self], 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&latch[1 - self], 1, memory_order_relaxed);
    }
}

static void *first(void *arg)
{
    work(0);
    return 0;
}

static void *second(void *arg)
{
    work(1);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
