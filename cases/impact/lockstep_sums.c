// expect: safe
// property: reach,assert
// engines: impact
// knobs: impact.order=lockstep
// why: both threads add the same number equally often, and round by round their sums are equal
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

unsigned step;
int rounds;
unsigned first_sum, second_sum;

void *first(void *arg)
{
    for (int i = 0; i < rounds; i++)
        first_sum = first_sum + step;
    return 0;
}

void *second(void *arg)
{
    for (int i = 0; i < rounds; i++)
        second_sum = second_sum + step;
    return 0;
}

int main(void)
{
    pthread_t one, two;
    step = __VERIFIER_nondet_int();
    rounds = __VERIFIER_nondet_int();
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(first_sum == second_sum);
    return 0;
}
