// expect[assert]: unsafe
// why: %i of many characters reads more digits of base ten than of base sixteen, of which two say the base, until those are worth more
#include <assert.h>
#include <stdio.h>

int main(void)
{
    long long number;
    if (scanf("%15lli", &number) == 1)
        assert(number < 1000000000000000LL);
    return 0;
}
