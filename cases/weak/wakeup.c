// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// expect[power]: unsafe
// property: reach,assert
// why: both stores wait in buffers while the loads look: the worker sleeps and nobody wakes it
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* A worker that goes to sleep says so and looks for work once more; whoever brings work wakes a worker that sleeps. */
atomic_int has_work, is_idle;
int slept, woke;

static void *worker(void *arg)
{
    atomic_store_explicit(&is_idle, 1, memory_order_relaxed);
    slept = !atomic_load_explicit(&has_work, memory_order_relaxed);
    return 0;
}

static void *poster(void *arg)
{
    atomic_store_explicit(&has_work, 1, memory_order_relaxed);
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
