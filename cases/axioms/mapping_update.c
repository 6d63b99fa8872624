// expect[aarch64]: safe
// expect[aarch64+aarch64-exclusives]: unsafe
// expect[aarch64+aarch64-barriers]: safe
// expect[rc11]: unsafe
// property: reach,assert
// engines: bmc
// why: an update that acquires and releases is a full barrier as one instruction of Armv8.1, and none as a pair of exclusive accesses
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y, other, another;
int a, b;

static void *left(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&other, 1, memory_order_acq_rel);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}

static void *right(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&another, 1, memory_order_acq_rel);
    b = atomic_load_explicit(&x, memory_order_relaxed);
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
