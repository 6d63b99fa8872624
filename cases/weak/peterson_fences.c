// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: bmc
// why: with a fence after each store nothing is out of order
#include <assert.h>
#include <pthread.h>

int flag0, flag1, turn, n;

static void *thread1(void *arg)
{
    flag0 = 1;
    __sync_synchronize();
    turn = 1;
    __sync_synchronize();
    while (flag1 == 1 && turn == 1)
        ;
    n++;
    assert(n == 1);
    n--;
    __sync_synchronize();
    flag0 = 0;
    return 0;
}

static void *thread2(void *arg)
{
    flag1 = 1;
    __sync_synchronize();
    turn = 0;
    __sync_synchronize();
    while (flag0 == 1 && turn == 0)
        ;
    n++;
    assert(n == 1);
    n--;
    __sync_synchronize();
    flag1 = 0;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
