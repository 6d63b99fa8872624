// expect[rc11]: safe
// expect[imm]: safe
// expect[sc]: safe
// why: weak executions, and nobody who waits but the first thread: asked about everything, deadlocks too, the answer is whole
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int data, flag;

static void *writer(void *arg)
{
    atomic_store_explicit(&data, 2, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void *reader(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        atomic_store_explicit(&data, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, reader, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
