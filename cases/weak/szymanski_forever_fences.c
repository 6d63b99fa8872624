// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: explicit cegar
// why: with a fence after each store nothing is out of order, however often the threads come back
#include <assert.h>
#include <pthread.h>

int flag0, flag1, n;

static void *thread1(void *arg)
{
    for (;;) {
        flag0 = 1;
        __sync_synchronize();
        while (flag1 >= 3)
            ;
        flag0 = 3;
        __sync_synchronize();
        if (flag1 == 1) {
            flag0 = 2;
            __sync_synchronize();
            while (flag1 != 4)
                ;
        }
        flag0 = 4;
        __sync_synchronize();
        n++;
        assert(n == 1);
        n--;
        __sync_synchronize();
        int seen;
        do
            seen = flag1;
        while (seen == 2 || seen == 3);
        flag0 = 0;
    }
}

static void *thread2(void *arg)
{
    for (;;) {
        flag1 = 1;
        __sync_synchronize();
        while (flag0 >= 3)
            ;
        flag1 = 3;
        __sync_synchronize();
        if (flag0 == 1) {
            flag1 = 2;
            __sync_synchronize();
            while (flag0 != 4)
                ;
        }
        flag1 = 4;
        __sync_synchronize();
        while (flag0 >= 2)
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
