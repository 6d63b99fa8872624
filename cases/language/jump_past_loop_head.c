// expect: safe
// property: assert
// A loop that may be entered in its middle: the first round is one in part.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
static volatile int n;

int main(void)
{
    int jumps = __VERIFIER_nondet_int();
    int i = 0;
    if (jumps)
        goto inside;
    for (i = 1; i < 5; i++) {
inside:
        n++;
    }
    assert(n == (jumps ? 5 : 4));
    return 0;
}
