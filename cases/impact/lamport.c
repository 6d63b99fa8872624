// expect: safe
// property: reach,assert
// engines: impact
// why: Lamport's fast mutual exclusion for two threads, with the two gates x and y
#include <assert.h>
#include <pthread.h>

int x, y;
int busy_first, busy_second;
int inside;

void *first(void *arg)
{
    while (1) {
        busy_first = 1;
        x = 1;
        if (y != 0) {
            busy_first = 0;
            while (y != 0)
                ;
            continue;
        }
        y = 1;
        if (x != 1) {
            busy_first = 0;
            while (busy_second)
                ;
            if (y != 1) {
                while (y != 0)
                    ;
                continue;
            }
        }
        break;
    }
    inside = 1;
    assert(inside == 1);
    y = 0;
    busy_first = 0;
    return 0;
}

void *second(void *arg)
{
    while (1) {
        busy_second = 1;
        x = 2;
        if (y != 0) {
            busy_second = 0;
            while (y != 0)
                ;
            continue;
        }
        y = 2;
        if (x != 2) {
            busy_second = 0;
            while (busy_first)
                ;
            if (y != 2) {
                while (y != 0)
                    ;
                continue;
            }
        }
        break;
    }
    inside = 2;
    assert(inside == 2);
    y = 0;
    busy_second = 0;
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
