// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: basic
// engines: explicit
// why: both threads see the other outside while the flags wait in buffers; under sc no two are inside, however often they come back
#include <assert.h>
#include <pthread.h>

int flag0, flag1, turn, n;

static void *thread1(void *arg)
{
    for (;;) {
        flag0 = 1;
        turn = 1;
        while (flag1 == 1 && turn == 1)
            ;
        n++;
        assert(n == 1);
        n--;
        flag0 = 0;
    }
}

static void *thread2(void *arg)
{
    for (;;) {
        flag1 = 1;
        turn = 0;
        while (flag0 == 1 && turn == 0)
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
