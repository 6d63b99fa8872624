// expect: safe
// property: reach,assert
// engines: impact
// knobs: impact.order=lockstep
// why: both threads add the elements of one array, however long it is, and round by round their sums are equal
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned *numbers;
unsigned length;
unsigned first_sum, second_sum;

void *first(void *arg)
{
    for (unsigned i = 0; i < length; i++)
        first_sum = first_sum + numbers[i];
    return 0;
}

void *second(void *arg)
{
    for (unsigned i = 0; i < length; i++)
        second_sum = second_sum + numbers[i];
    return 0;
}

int main(void)
{
    pthread_t one, two;
    length = __VERIFIER_nondet_uint();
    if (length > 1000000)
        return 0;
    numbers = malloc(length * sizeof(unsigned));
    if (!numbers)
        return 0;
    for (unsigned i = 0; i < length; i++)
        numbers[i] = __VERIFIER_nondet_uint();
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(first_sum == second_sum);
    return 0;
}
