// expect: safe
// property: reach,assert
// engines: impact
// why: of two threads that both want to go in, the one whose turn it is waits for nobody (Dekker)
#include <assert.h>
#include <pthread.h>

int wants_first, wants_second, turn;
int inside;

void *first(void *arg)
{
    wants_first = 1;
    while (wants_second) {
        if (turn != 0) {
            wants_first = 0;
            while (turn != 0)
                ;
            wants_first = 1;
        }
    }
    inside = 1;
    assert(inside == 1);
    turn = 1;
    wants_first = 0;
    return 0;
}

void *second(void *arg)
{
    wants_second = 1;
    while (wants_first) {
        if (turn != 1) {
            wants_second = 0;
            while (turn != 1)
                ;
            wants_second = 1;
        }
    }
    inside = 2;
    assert(inside == 2);
    turn = 0;
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
