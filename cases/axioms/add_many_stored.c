// expect[sc.cat]: unsafe
// expect[power]: unsafe
// expect[aarch64]: unsafe
// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[linux-kernel]: unsafe
// property: reach,assert
// engines: bmc
// why: a store between updates undoes those before it
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
    atomic_store_explicit(&x, 0, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t t[6], last;
    for (int i = 0; i < 6; i++)
        pthread_create(&t[i], 0, worker, 0);
    pthread_create(&last, 0, other, 0);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], 0);
    pthread_join(last, 0);
    assert(atomic_load_explicit(&x, memory_order_relaxed) == 18);
    return 0;
}
