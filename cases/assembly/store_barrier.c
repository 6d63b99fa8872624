// expect: unsafe
// options: --model aarch64
// engines: bmc
// why: a barrier for stores does not keep a load before it
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *left(void *unused)
{
    a = atomic_load_explicit(&x, memory_order_relaxed);
    __asm__ volatile("dmb ishst" ::: "memory");
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, left, 0);
    b = atomic_load_explicit(&y, memory_order_relaxed);
    __asm__ volatile("dmb ishst" ::: "memory");
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    pthread_join(one, 0);
    assert(!(a == 1 && b == 1));
    return 0;
}
