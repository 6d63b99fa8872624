// expect: unsafe at 21
// property: reach,assert
// engines: impact
// why: the assertion fails right after x = 1; the node there is covered by one that was reached by another step, after which the reader's step is left out (001, section IV.C)
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

int x, y;

void *writes(void *arg)
{
    if (__VERIFIER_nondet_int())
        y = 1;
    else
        x = 1;
    y = 2;
    x = 0;
    return 0;
}
void *reads(void *arg) { assert(x == 0); return 0; }

int main(void)
{
    pthread_t one, two;
    pthread_create(&two, 0, reads, 0);
    pthread_create(&one, 0, writes, 0);
    assert(y != 5);
    return pthread_join(two, 0);
}
