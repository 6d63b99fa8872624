// expect: unsafe at 11
// why: a division of an atomic variable traps as any other does
#include <limits.h>
#include <stdatomic.h>
extern int __VERIFIER_nondet_int(void);

_Atomic int x;

int main(void) {
    x = INT_MIN;
    x /= __VERIFIER_nondet_int() | 1;
    return 0;
}
