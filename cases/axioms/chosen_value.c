// expect[aarch64]: safe
// expect[power]: safe
// expect[riscv]: safe
// expect[imm]: safe
// property: reach,assert
// engines: bmc
// why: a write of a value that a condition has chosen waits for the condition, as it would behind a branch
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int from_x, from_y;

void *left(void *unused)
{
    from_x = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, from_x == 1 ? 1 : 2, memory_order_relaxed);
    return 0;
}

void *right(void *unused)
{
    from_y = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, from_y != 0, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(from_x == 1 && from_y != 0));
    return 0;
}
