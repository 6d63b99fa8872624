// expect[rc11]: unsafe
// expect[aarch64]: unsafe
// expect[sc]: unsafe
// property: deadlock
// why: two locks in opposite orders beside accesses that are weak: the interleaving in which both threads wait is an execution of every model
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int here, there;
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static int meets(atomic_int *own, atomic_int *other, pthread_mutex_t *first, pthread_mutex_t *second)
{
    atomic_store_explicit(own, 1, memory_order_relaxed);
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    int seen = atomic_load_explicit(other, memory_order_relaxed);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return seen;
}

static void *comes(void *arg)
{
    meets(&here, &there, &left, &right);
    return arg;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, comes, NULL);
    meets(&there, &here, &right, &left);
    pthread_join(other, NULL);
    return 0;
}
