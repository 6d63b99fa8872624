// expect: safe
// property: assert,valid-deref
// engines: bmc
// why: there are as many ways out of the loop as rounds, and on each the local that the thread is given is there
#include <assert.h>
#include <pthread.h>

extern long __VERIFIER_nondet_long(void);

static int n_rounds;

static void *work(void *argument)
{
    assert(*(int *)argument == 7);
    return 0;
}

int main(void)
{
    long n = __VERIFIER_nondet_long();
    if (n < 1 || n > 4)
        return 1;
    for (long i = 0; i < n; i++)
        n_rounds++;
    int local = 7;
    pthread_t other;
    pthread_create(&other, 0, work, &local);
    pthread_join(other, 0);
    return 0;
}
