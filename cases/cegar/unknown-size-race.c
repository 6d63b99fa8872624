// expect: unsafe at 35
// property: reach,assert
// engines: cegar impact
// why: an allocation whose size is an input is one object with a size that nobody knows; both threads add to the same cell of it, and one of the two additions may be lost
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

int *table;
unsigned at;

void *worker(void *arg)
{
    table[at] = table[at] + 1;
    return 0;
}

int main(void)
{
    unsigned length = __VERIFIER_nondet_uint();
    at = __VERIFIER_nondet_uint();
    if (length > 1000 || at >= length)
        return 0;
    table = malloc(length * sizeof(int));
    if (!table)
        return 0;
    table[at] = 0;
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(table[at] == 2);
    return 0;
}
