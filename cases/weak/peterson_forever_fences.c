// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: explicit cegar
// why: with a fence after each store nothing is out of order, however often the threads come back
#include <assert.h>
#include <pthread.h>

int flag0, flag1, turn, n;

static void *thread1(void *arg)
{
    for (;;) {
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
    }
}

static void *thread2(void *arg)
{
    for (;;) {
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
    }
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
