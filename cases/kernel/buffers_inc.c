// expect[linux-kernel]: unsafe
// property: reach,assert
// engines: bmc
// why: an atomic without a result orders nothing
#include <ravel/lkmm.h>
#include <assert.h>
#include <pthread.h>

int x, y;
atomic_t n;
int a, b;

static void *left(void *arg)
{
    WRITE_ONCE(x, 1);
    atomic_inc(&n);
    a = READ_ONCE(y);
    return 0;
}

static void *right(void *arg)
{
    smp_store_mb(y, 1);
    b = READ_ONCE(x);
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
