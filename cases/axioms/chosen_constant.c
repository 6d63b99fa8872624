// expect[aarch64]: unsafe
// expect[power]: unsafe
// expect[riscv]: unsafe
// property: reach,assert
// engines: bmc
// why: the index that is chosen is a constant: nothing that was read flows into it
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag, data[2];
int seen, found;

void *writer(void *unused)
{
    atomic_store_explicit(&data[0], 1, memory_order_relaxed);
    atomic_store_explicit(&data[1], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

void *reader(void *unused)
{
    seen = atomic_load_explicit(&flag, memory_order_relaxed);
    int index = seen < 1 ? seen : 1;
    found = atomic_load_explicit(&data[index], memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(seen == 1 && found == 0));
    return 0;
}
