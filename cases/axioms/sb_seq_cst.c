// expect[sc.cat]: safe
// expect[tso.cat]: safe
// expect[rc11]: safe
// expect[c11]: safe
// expect[imm]: safe
// expect[aarch64]: safe
// expect[power]: safe
// expect[riscv]: safe
// expect[tso.cat+x86-leading]: safe
// expect[aarch64+aarch64-rcpc]: safe
// expect[aarch64+aarch64-barriers]: safe
// expect[power+power-trailing]: safe
// expect[power+power-lwsync]: safe
// property: reach,assert
// engines: bmc
// why: sequentially consistent accesses have one order, and every mapping keeps it
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

static void *left(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_seq_cst);
    a = atomic_load_explicit(&y, memory_order_seq_cst);
    return 0;
}

static void *right(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_seq_cst);
    b = atomic_load_explicit(&x, memory_order_seq_cst);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(a == 1 || b == 1);
    return 0;
}
