// expect: safe
// property: reach,assert
// engines: cegar impact
// why: an allocation whose size is an input is one object with a size that nobody knows; both threads add to the same cell of it under a lock
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

int *table;
unsigned at;
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    pthread_mutex_lock(&guard);
    table[at] = table[at] + 1;
    pthread_mutex_unlock(&guard);
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
