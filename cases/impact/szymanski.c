// expect: safe
// property: reach,assert
// engines: impact
// why: a waiting room with two doors (Szymanski), for two threads
#include <assert.h>
#include <pthread.h>

int stage_first, stage_second;
int inside;

void *first(void *arg)
{
    stage_first = 1;
    while (stage_second >= 3)
        ;
    stage_first = 3;
    if (stage_second == 1) {
        stage_first = 2;
        while (stage_second != 4)
            ;
    }
    stage_first = 4;
    while (stage_second >= 2)
        ;
    inside = 1;
    assert(inside == 1);
    while (2 <= stage_second && stage_second <= 3)
        ;
    stage_first = 0;
    return 0;
}

void *second(void *arg)
{
    stage_second = 1;
    while (stage_first >= 3)
        ;
    stage_second = 3;
    if (stage_first == 1) {
        stage_second = 2;
        while (stage_first != 4)
            ;
    }
    stage_second = 4;
    while (stage_first >= 2)
        ;
    inside = 2;
    assert(inside == 2);
    stage_second = 0;
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
