// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: bmc
// why: a fence before the flag falls is what partial store order needs besides
#include <assert.h>
#include <pthread.h>

int flag0, flag1, turn, n;

static void *thread1(void *arg)
{
    flag0 = 1;
    __sync_synchronize();
    for (int tries = 0; flag1 == 1; tries++) {
        if (tries == 2) {
            flag0 = 0;
            return 0;
        }
        if (turn != 0) {
            flag0 = 0;
            while (turn != 0)
                ;
            flag0 = 1;
            __sync_synchronize();
        }
    }
    n++;
    assert(n == 1);
    n--;
    __sync_synchronize();
    turn = 1;
    flag0 = 0;
    return 0;
}

static void *thread2(void *arg)
{
    flag1 = 1;
    __sync_synchronize();
    for (int tries = 0; flag0 == 1; tries++) {
        if (tries == 2) {
            flag1 = 0;
            return 0;
        }
        if (turn != 1) {
            flag1 = 0;
            while (turn != 1)
                ;
            flag1 = 1;
            __sync_synchronize();
        }
    }
    n++;
    assert(n == 1);
    n--;
    __sync_synchronize();
    turn = 0;
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
