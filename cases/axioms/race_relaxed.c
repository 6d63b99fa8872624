// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[c11]: unsafe
// property: race
// engines: bmc
// why: relaxed accesses order nothing, so the plain ones race: the model's own flag
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

static void *writer(void *arg)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

static void *reader(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        assert(data == 42);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&two, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
