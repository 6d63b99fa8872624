// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: basic
// engines: explicit
// why: both threads see the waiting room empty while the flags wait in buffers; under sc no two are inside, however often they come back
#include <assert.h>
#include <pthread.h>

int flag0, flag1, n;

static void *thread1(void *arg)
{
    for (;;) {
        flag0 = 1;
        while (flag1 >= 3)
            ;
        flag0 = 3;
        if (flag1 == 1) {
            flag0 = 2;
            while (flag1 != 4)
                ;
        }
        flag0 = 4;
        n++;
        assert(n == 1);
        n--;
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
        while (flag0 >= 3)
            ;
        flag1 = 3;
        if (flag0 == 1) {
            flag1 = 2;
            while (flag0 != 4)
                ;
        }
        flag1 = 4;
        while (flag0 >= 2)
            ;
        n++;
        assert(n == 1);
        n--;
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
