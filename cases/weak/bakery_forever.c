// expect[sc]: safe
// expect[tso]: unsafe
// expect[pso]: unsafe
// property: basic
// engines: explicit
// why: both threads draw a ticket before they see that the other does; under sc no two are inside, however often they come back
#include <assert.h>
#include <pthread.h>

#define LAST 3

int choosing0, choosing1, number0, number1, n;

static void *thread1(void *arg)
{
    for (;;) {
        choosing0 = 1;
        int ticket = number1 + 1;
        if (ticket > LAST) {
            choosing0 = 0;
            continue;
        }
        number0 = ticket;
        choosing0 = 0;
        while (choosing1 == 1)
            ;
        while (number1 != 0 && number1 < ticket)
            ;
        n++;
        assert(n == 1);
        n--;
        number0 = 0;
    }
}

static void *thread2(void *arg)
{
    for (;;) {
        choosing1 = 1;
        int ticket = number0 + 1;
        if (ticket > LAST) {
            choosing1 = 0;
            continue;
        }
        number1 = ticket;
        choosing1 = 0;
        while (choosing0 == 1)
            ;
        while (number0 != 0 && number0 <= ticket)
            ;
        n++;
        assert(n == 1);
        n--;
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
