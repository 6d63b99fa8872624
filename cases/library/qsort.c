// expect: safe
// why: qsort puts any input in order, and bsearch finds what is there
#include <assert.h>
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int compare(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;
    return x < y ? -1 : x > y;
}

int main(void)
{
    int n[3];
    for (int i = 0; i < 3; i++)
        n[i] = __VERIFIER_nondet_uchar() % 3;
    int sum = n[0] + n[1] + n[2];
    int wanted = n[1];
    qsort(n, 3, sizeof n[0], compare);
    assert(n[0] <= n[1] && n[1] <= n[2]);
    assert(n[0] + n[1] + n[2] == sum);
    int *found = bsearch(&wanted, n, 3, sizeof n[0], compare);
    assert(found && *found == wanted);
    return 0;
}
