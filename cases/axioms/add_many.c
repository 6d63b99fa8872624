// expect[sc.cat]: safe
// expect[tso.cat]: safe
// expect[pso.cat]: safe
// expect[power]: safe
// expect[aarch64]: safe
// expect[riscv]: safe
// expect[c11]: safe
// expect[rc11]: safe
// expect[imm]: safe
// expect[linux-kernel]: safe
// property: reach,assert
// engines: bmc
// why: many updates of one cell lose nothing, in whatever order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *worker(void *arg)
{
    atomic_fetch_add_explicit(&x, 3, memory_order_relaxed);
    return 0;
}

static void *other(void *arg)
{
    atomic_fetch_add_explicit(&x, -3, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t t[15], last;
    for (int i = 0; i < 15; i++)
        pthread_create(&t[i], 0, worker, 0);
    pthread_create(&last, 0, other, 0);
    for (int i = 0; i < 15; i++)
        pthread_join(t[i], 0);
    pthread_join(last, 0);
    assert(atomic_load_explicit(&x, memory_order_relaxed) == 42);
    return 0;
}
