// expect[linux-kernel]: unsafe
// property: reach,assert
// engines: bmc
// why: a grace period does not wait for readers without a critical section
#include <ravel/lkmm.h>
#include <assert.h>
#include <pthread.h>

int x, y;
int a, b;

static void *left(void *arg)
{
    a = READ_ONCE(y);
    b = READ_ONCE(x);
    return 0;
}

static void *right(void *arg)
{
    WRITE_ONCE(x, 1);
    synchronize_rcu();
    WRITE_ONCE(y, 1);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(!(a == 1 && b == 0));
    return 0;
}
