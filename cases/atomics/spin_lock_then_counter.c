// expect[race]: safe
// engines: explicit portfolio
// why: each thread counts after it has given the lock back; no start or join comes between the two threads, so nothing leads from a count to a lock
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int shared;
static atomic_int done;

static void *worker(void *arg)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ;
    shared++;
    atomic_flag_clear_explicit(&lock, memory_order_release);
    done++;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return shared - done;
}
