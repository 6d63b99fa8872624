// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: reach,assert
// engines: declarative
// why: without fences both threads see the other outside; under sc the readings of flags and turn exclude it, lap for lap
#include <assert.h>
#include <pthread.h>

int flag1, flag2, turn, crit;

static void *first(void *arg)
{
    for (;;) {
        flag1 = 1;
        turn = 2;
        while (flag2 == 1 && turn == 2)
            ;
        crit = 1;
        int c = crit;
        assert(c == 1);
        crit = 0;
        flag1 = 0;
    }
    return 0;
}

static void *second(void *arg)
{
    for (;;) {
        flag2 = 1;
        turn = 1;
        while (flag1 == 1 && turn == 1)
            ;
        crit = 2;
        int c = crit;
        assert(c == 2);
        crit = 0;
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
