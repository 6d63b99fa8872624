// expect[assert]: safe
// options: --model riscv
// engines: bmc
// why: a load that acquires keeps what is around it in order, though nobody wants to know what it reads
#include <assert.h>
#include <pthread.h>

static int x, y, a, b, u, v;

static void *left(void *unused)
{
    int seen = __atomic_load_n(&x, __ATOMIC_RELAXED);
    __atomic_load_n(&u, __ATOMIC_ACQUIRE);
    __atomic_store_n(&y, 1, __ATOMIC_RELAXED);
    a = seen;
    return unused;
}

static void *right(void *unused)
{
    int seen = __atomic_load_n(&y, __ATOMIC_RELAXED);
    __atomic_load_n(&v, __ATOMIC_ACQUIRE);
    __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
    b = seen;
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, left, 0);
    pthread_create(&other, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(!(a == 1 && b == 1));
    return 0;
}
