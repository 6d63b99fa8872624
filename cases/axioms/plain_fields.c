// expect[c11]: unsafe
// expect[rc11]: safe
// property: reach,assert
// engines: bmc
// why: C11 gives plain places no order of writes; which places are plain depends on who is where, as an atomic field lies beside the plain one
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct cell {
    int plain;
    atomic_int atomic;
};

struct cell cells[2];
atomic_int which;

static void *chooser(void *arg)
{
    (void)arg;
    atomic_store_explicit(&which, 1, memory_order_relaxed);
    return 0;
}

static void *writer(void *arg)
{
    int k = atomic_load_explicit(&which, memory_order_relaxed);
    cells[k].plain = arg ? 2 : 1;
    atomic_store_explicit(&cells[k].atomic, 1, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    int one = 1;
    pthread_create(&a, 0, chooser, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_create(&c, 0, writer, &one);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    int k = atomic_load_explicit(&which, memory_order_relaxed);
    int first = cells[k].plain;
    int second = cells[k].plain;
    assert(first == second);
    return 0;
}
