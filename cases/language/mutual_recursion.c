// expect[assert]: unsafe at 36
// expect[memsafety]: safe
// Functions that call each other and themselves, with locals whose addresses are handed down; an input chooses how deep, and the deepest gives three.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int odd(int n, int *seen);

static int even(int n, int *seen)
{
    int own = *seen;
    if (n == 0)
        return own;
    int below = odd(n - 1, &own);
    int again = n > 2 ? even(n - 2, &own) : 0;
    *seen += own;
    return below + again;
}

static int odd(int n, int *seen)
{
    int own = *seen + 1;
    if (n == 0)
        return own;
    return even(n - 1, &own) + (n == 3 ? odd(0, seen) : 0);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 3)
        return 0;
    int seen = 0;
    int sum = even(n, &seen);
    assert(sum != 3);
    return 0;
}
