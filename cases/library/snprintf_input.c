// expect: safe
// engines: bmc
// why: a number of 32 bits has at most eleven characters
#include <assert.h>
#include <stdio.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    char b[12];
    int x = __VERIFIER_nondet_int();
    int n = snprintf(b, sizeof b, "%d", x);
    assert(n >= 1 && n <= 11);
    assert(b[0] == '-' || b[0] >= '0' && b[0] <= '9');
    assert((b[0] == '-') == (x < 0));
    b[n] = 'x';
    return 0;
}
