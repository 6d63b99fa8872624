// expect[sc.cat]: safe
// expect[tso.cat]: safe
// expect[rc11]: safe
// expect[c11]: unsafe
// expect[imm]: unsafe
// expect[aarch64]: unsafe
// expect[power]: unsafe
// expect[riscv]: unsafe
// property: reach,assert
// engines: bmc
// why: load buffering: rc11 forbids circles of program order and reads-from, processors do not
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

static void *left(void *arg)
{
    a = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return 0;
}

static void *right(void *arg)
{
    b = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(a == 0 || b == 0);
    return 0;
}
