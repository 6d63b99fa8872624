// expect[sc]: safe
// expect[tso]: safe
// expect[pso]: safe
// expect[power]: safe
// property: reach,assert
// why: with a full fence between store and load on both sides one of them sees the other
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* A worker that goes to sleep says so and looks for work once more; whoever brings work wakes a worker that sleeps. */
atomic_int has_work, is_idle;
int slept, woke;

static void *worker(void *arg)
{
    atomic_store_explicit(&is_idle, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    slept = !atomic_load_explicit(&has_work, memory_order_relaxed);
    return 0;
}

static void *poster(void *arg)
{
    atomic_store_explicit(&has_work, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    woke = atomic_load_explicit(&is_idle, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, poster, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(!slept || woke);
    return 0;
}
