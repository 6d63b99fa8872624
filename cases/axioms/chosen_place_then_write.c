// expect[aarch64]: safe
// expect[power]: safe
// expect[riscv]: safe
// expect[imm]: safe
// property: reach,assert
// engines: bmc
// why: a write behind an access whose address was chosen waits for what chose it; and a value from a table that nobody writes depends on the index
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y, places[2];
int table[2] = {0, 1};
int from_x, from_y;

void *left(void *unused)
{
    from_x = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&places[from_x == 1], 5, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return 0;
}

void *right(void *unused)
{
    from_y = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, table[from_y & 1], memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(from_x == 1 && from_y == 1));
    return 0;
}
