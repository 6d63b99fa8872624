// expect[rc11]: safe
// expect[imm]: safe
// property: race
// engines: bmc
// why: release and acquire order the plain accesses
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

static void *writer(void *arg)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

static void *reader(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_acquire))
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
