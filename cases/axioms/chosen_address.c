// expect[aarch64]: unsafe
// expect[power]: unsafe
// expect[riscv]: unsafe
// expect[rc11]: unsafe
// property: reach,assert
// engines: bmc
// why: a read at an address that a condition has chosen need not wait for the condition, whether it is compiled to a branch or to a selection
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag, data, other;
int seen, read_then;

void *writer(void *unused)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

void *reader(void *unused)
{
    seen = atomic_load_explicit(&flag, memory_order_relaxed);
    atomic_int *place = seen ? &data : &other;
    read_then = atomic_load_explicit(place, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(seen == 1 && read_then == 0));
    return 0;
}
