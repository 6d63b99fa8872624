// expect: safe
// property: reach,assert
// engines: impact
// counts[impact.por=monotonic]: nodes <= 120
// counts[impact.por=monotonic]: steps with addresses apart > 0
// why: the threads write to different places of the table, since i and j differ; the interpolant that says so lets steps be left out (001, figures 1 and 2)
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int v[4];
int i, j;

void *on_i(void *arg)
{
    v[i] = 1;
    v[i] = v[i] + 1;
    v[i] = v[j];
    return 0;
}

void *on_j(void *arg)
{
    v[j] = -2;
    v[j] = v[j] + 1;
    v[i] = v[i] + 1;
    return 0;
}

int main(void)
{
    pthread_t one, two;
    i = __VERIFIER_nondet_int();
    j = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= i && i < 4 && 0 <= j && j < 4 && i != j);
    v[i] = 0;
    v[j] = 0;
    pthread_create(&one, 0, on_i, 0);
    pthread_create(&two, 0, on_j, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(v[j] <= 0);
    return 0;
}
