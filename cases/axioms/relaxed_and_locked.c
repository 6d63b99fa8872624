// expect[rc11]: safe
// expect[sc]: safe
// why: weak executions and a lock: that nobody waits in a circle holds under the axioms as well, so that the answer is about deadlocks, too
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int here, there;
static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(int value)
{
    pthread_mutex_lock(&lock);
    sum += value;
    pthread_mutex_unlock(&lock);
}

static void *comes(void *arg)
{
    atomic_store_explicit(&here, 1, memory_order_relaxed);
    add(1 + atomic_load_explicit(&there, memory_order_relaxed));
    return arg;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, comes, NULL);
    atomic_store_explicit(&there, 1, memory_order_relaxed);
    add(1 + atomic_load_explicit(&here, memory_order_relaxed));
    pthread_join(other, NULL);
    assert(sum >= 2 && sum <= 4);
    return 0;
}
