// expect[sc]: safe
// expect[tso]: safe
// expect[pso]: safe
// property: reach,assert
// engines: declarative
// why: with a fence after each store nothing is out of order, however often the threads come back
#include <assert.h>
#include <pthread.h>

int flag1, flag2, turn, crit;

static void *first(void *arg)
{
    for (;;) {
        flag1 = 1;
        __sync_synchronize();
        turn = 2;
        __sync_synchronize();
        while (flag2 == 1 && turn == 2)
            ;
        crit = 1;
        int c = crit;
        assert(c == 1);
        crit = 0;
        __sync_synchronize();
        flag1 = 0;
    }
    return 0;
}

static void *second(void *arg)
{
    for (;;) {
        flag2 = 1;
        __sync_synchronize();
        turn = 1;
        __sync_synchronize();
        while (flag1 == 1 && turn == 1)
            ;
        crit = 2;
        int c = crit;
        assert(c == 2);
        crit = 0;
        __sync_synchronize();
        flag2 = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
