// expect[sc.cat]: safe
// expect[tso.cat]: safe
// expect[rc11]: unsafe
// expect[aarch64]: safe
// expect[power]: unsafe
// expect[riscv]: safe
// property: reach,assert
// engines: bmc
// why: two readers may see independent writes in different orders, unless a write reaches all others at once
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b, c, d;

static void *write_x(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_release);
    return 0;
}

static void *write_y(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_release);
    return 0;
}

static void *read_xy(void *arg)
{
    a = atomic_load_explicit(&x, memory_order_acquire);
    b = atomic_load_explicit(&y, memory_order_acquire);
    return 0;
}

static void *read_yx(void *arg)
{
    c = atomic_load_explicit(&y, memory_order_acquire);
    d = atomic_load_explicit(&x, memory_order_acquire);
    return 0;
}

int main(void)
{
    pthread_t t[4];
    pthread_create(&t[0], 0, write_x, 0);
    pthread_create(&t[1], 0, write_y, 0);
    pthread_create(&t[2], 0, read_xy, 0);
    pthread_create(&t[3], 0, read_yx, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    assert(!(a == 1 && b == 0 && c == 1 && d == 0));
    return 0;
}
