// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: basic
// engines: explicit
// why: both flags wait in buffers while both threads look; under sc no two are inside, however often they come back
#include <assert.h>
#include <pthread.h>

int flag0, flag1, turn, n;

static void *thread1(void *arg)
{
    for (;;) {
        flag0 = 1;
        while (flag1 == 1) {
            if (turn != 0) {
                flag0 = 0;
                while (turn != 0)
                    ;
                flag0 = 1;
            }
        }
        n++;
        assert(n == 1);
        n--;
        turn = 1;
        flag0 = 0;
    }
}

static void *thread2(void *arg)
{
    for (;;) {
        flag1 = 1;
        while (flag0 == 1) {
            if (turn != 1) {
                flag1 = 0;
                while (turn != 1)
                    ;
                flag1 = 1;
            }
        }
        n++;
        assert(n == 1);
        n--;
        turn = 0;
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
