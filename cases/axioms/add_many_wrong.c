// expect[sc.cat]: unsafe
// expect[tso.cat]: unsafe
// expect[pso.cat]: unsafe
// expect[power]: unsafe
// expect[aarch64]: unsafe
// expect[riscv]: unsafe
// expect[c11]: unsafe
// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[linux-kernel]: unsafe
// property: reach,assert
// engines: bmc
// why: one of them adds another number than is expected
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
    atomic_fetch_add_explicit(&x, 4, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t t[12], last;
    for (int i = 0; i < 12; i++)
        pthread_create(&t[i], 0, worker, 0);
    pthread_create(&last, 0, other, 0);
    for (int i = 0; i < 12; i++)
        pthread_join(t[i], 0);
    pthread_join(last, 0);
    assert(atomic_load_explicit(&x, memory_order_relaxed) == 39);
    return 0;
}
