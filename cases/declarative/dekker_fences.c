// expect[sc]: safe
// expect[tso]: safe
// expect[pso]: safe
// property: reach,assert
// engines: declarative
// why: with fences no flag waits
#include <assert.h>
#include <pthread.h>

int flag1, flag2, turn, crit;

static void *first(void *arg)
{
    for (;;) {
        flag1 = 1;
        __sync_synchronize();
        while (flag2 == 1) {
            if (turn != 0) {
                flag1 = 0;
                __sync_synchronize();
                while (turn != 0)
                    ;
                flag1 = 1;
                __sync_synchronize();
            }
        }
        crit = 1;
        int c = crit;
        assert(c == 1);
        crit = 0;
        __sync_synchronize();
        turn = 1;
        __sync_synchronize();
        flag1 = 0;
    }
}

static void *second(void *arg)
{
    for (;;) {
        flag2 = 1;
        __sync_synchronize();
        while (flag1 == 1) {
            if (turn != 1) {
                flag2 = 0;
                __sync_synchronize();
                while (turn != 1)
                    ;
                flag2 = 1;
                __sync_synchronize();
            }
        }
        crit = 2;
        int c = crit;
        assert(c == 2);
        crit = 0;
        __sync_synchronize();
        turn = 0;
        __sync_synchronize();
        flag2 = 0;
    }
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
