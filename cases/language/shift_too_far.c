// expect: unsafe at 9
// why: a shift by the width or more is undefined, so its result is any number, not that of one processor
#include <assert.h>

volatile unsigned n = 32;

int main(void)
{
    assert((1u << n) == 0);
    return 0;
}
