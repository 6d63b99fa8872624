// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: explicit cegar
// why: with a fence after each store nothing is out of order, however often the threads come back
#include <assert.h>
#include <pthread.h>

#define LAST 3

int choosing0, choosing1, number0, number1, n;

static void *thread1(void *arg)
{
    for (;;) {
        choosing0 = 1;
        __sync_synchronize();
        int ticket = number1 + 1;
        if (ticket > LAST) {
            choosing0 = 0;
            __sync_synchronize();
            continue;
        }
        number0 = ticket;
        __sync_synchronize();
        choosing0 = 0;
        __sync_synchronize();
        while (choosing1 == 1)
            ;
        while (number1 != 0 && number1 < ticket)
            ;
        n++;
        assert(n == 1);
        n--;
        __sync_synchronize();
        number0 = 0;
    }
}

static void *thread2(void *arg)
{
    for (;;) {
        choosing1 = 1;
        __sync_synchronize();
        int ticket = number0 + 1;
        if (ticket > LAST) {
            choosing1 = 0;
            __sync_synchronize();
            continue;
        }
        number1 = ticket;
        __sync_synchronize();
        choosing1 = 0;
        __sync_synchronize();
        while (choosing0 == 1)
            ;
        while (number0 != 0 && number0 <= ticket)
            ;
        n++;
        assert(n == 1);
        n--;
        __sync_synchronize();
        number1 = 0;
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
