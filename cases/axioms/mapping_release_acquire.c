// expect[aarch64]: safe
// expect[aarch64+aarch64-rcpc]: unsafe
// expect[aarch64+aarch64-barriers]: unsafe
// expect[rc11]: unsafe
// expect[power]: unsafe
// property: reach,assert
// engines: bmc
// why: C11 lets an acquire load overtake a release store; LDAR waits for STLR, LDAPR and barriers do not
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

static void *left(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_release);
    a = atomic_load_explicit(&y, memory_order_acquire);
    return 0;
}

static void *right(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_release);
    b = atomic_load_explicit(&x, memory_order_acquire);
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
