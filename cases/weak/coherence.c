// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: bmc
// why: stores of one thread to one place stay in order, also if the place is an element
#include <assert.h>
#include <pthread.h>

int a[2], i, r1, r2;

static void *thread1(void *arg)
{
    a[0] = 1;
    a[i] = 2;
    return 0;
}

static void *thread2(void *arg)
{
    r1 = a[0];
    r2 = a[0];
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(r1 == 2 && r2 == 1));
    return 0;
}
