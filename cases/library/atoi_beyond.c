// expect: unsafe at 9
// why: a number that does not fit gives any result
#include <assert.h>
#include <stdlib.h>

int main(void) {
    assert(atoi(" -12x") == -12);
    assert(atoi("-2147483648") == -2147483647 - 1);
    assert(atoi("4294967297") == 1);
    return 0;
}
