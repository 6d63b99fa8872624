// expect: safe
// property: reach
// engines: impact
// why: what fills arrays with inputs before anybody looks at them says no more than that they hold anything: nothing is left to be known of these loops, but that they stay inside
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

unsigned *prices;
unsigned *weights;
bool *is_sold;
unsigned length, at;
unsigned first_offer, second_offer;

void *first(void *arg)
{
    first_offer = is_sold[at] ? 0 : prices[at] + weights[at];
    return 0;
}

void *second(void *arg)
{
    if (!is_sold[at])
        second_offer = weights[at] + prices[at];
    return 0;
}

unsigned *numbers(unsigned how_many)
{
    unsigned *made = malloc(how_many * sizeof(unsigned));
    if (!made)
        exit(0);
    for (unsigned i = 0; i < how_many; i++)
        made[i] = __VERIFIER_nondet_uint();
    return made;
}

int main(void)
{
    pthread_t one, two;
    length = __VERIFIER_nondet_uint();
    at = __VERIFIER_nondet_uint();
    if (length > 1000000 || at >= length)
        return 0;
    prices = numbers(length);
    weights = numbers(length);
    is_sold = malloc(length * sizeof(bool));
    if (!is_sold)
        return 0;
    for (unsigned i = 0; i < length; i++)
        is_sold[i] = __VERIFIER_nondet_bool();
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (first_offer != second_offer)
        reach_error();
    return 0;
}
