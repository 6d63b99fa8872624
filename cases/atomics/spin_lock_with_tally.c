// expect: safe
// expect[race]: safe
// engines: explicit portfolio
// why: what the spin lock keeps apart is in order, and the relaxed tally orders nothing and is asked for only at the end
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int shared;
static atomic_ulong acquired;

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
            ;
        shared++;
        atomic_flag_clear_explicit(&lock, memory_order_release);
        atomic_fetch_add_explicit(&acquired, 1, memory_order_relaxed);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(shared == 4);
    assert(atomic_load(&acquired) == 4);
    return 0;
}
