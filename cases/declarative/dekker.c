// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: reach,assert
// engines: declarative
// why: each thread steps back while it is not its turn; flags that wait in buffers break it
#include <assert.h>
#include <pthread.h>

int flag1, flag2, turn, crit;

static void *first(void *arg)
{
    for (;;) {
        flag1 = 1;
        while (flag2 == 1) {
            if (turn != 0) {
                flag1 = 0;
                while (turn != 0)
                    ;
                flag1 = 1;
            }
        }
        crit = 1;
        int c = crit;
        assert(c == 1);
        crit = 0;
        turn = 1;
        flag1 = 0;
    }
}

static void *second(void *arg)
{
    for (;;) {
        flag2 = 1;
        while (flag1 == 1) {
            if (turn != 1) {
                flag2 = 0;
                while (turn != 1)
                    ;
                flag2 = 1;
            }
        }
        crit = 2;
        int c = crit;
        assert(c == 2);
        crit = 0;
        turn = 0;
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
