// expect[linux-kernel]: safe
// property: reach,assert,race
// engines: bmc
// why: a spin lock keeps increments apart, and out of races
#include <ravel/lkmm.h>
#include <assert.h>
#include <pthread.h>

DEFINE_SPINLOCK(lock);
int n;

static void *left(void *arg)
{
    spin_lock(&lock);
    n = n + 1;
    spin_unlock(&lock);
    return 0;
}

static void *right(void *arg)
{
    spin_lock(&lock);
    n = n + 1;
    spin_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(n == 2);
    return 0;
}
