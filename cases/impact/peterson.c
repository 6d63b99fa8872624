// expect: safe
// property: reach,assert
// engines: impact
// why: who came last waits (Peterson)
#include <assert.h>
#include <pthread.h>

int wants_first, wants_second, last;
int inside;

void *first(void *arg)
{
    wants_first = 1;
    last = 1;
    while (wants_second && last == 1)
        ;
    inside = 1;
    assert(inside == 1);
    wants_first = 0;
    return 0;
}

void *second(void *arg)
{
    wants_second = 1;
    last = 2;
    while (wants_first && last == 2)
        ;
    inside = 2;
    assert(inside == 2);
    wants_second = 0;
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
