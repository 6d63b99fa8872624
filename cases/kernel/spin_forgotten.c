// expect[linux-kernel]: unsafe
// property: race
// engines: bmc
// why: who forgets the lock races
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
    n = n + 1;
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    
    return 0;
}
