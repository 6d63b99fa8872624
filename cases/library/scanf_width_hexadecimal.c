// expect[assert]: unsafe
// why: %i reads hexadecimal digits too, and of fifteen characters thirteen of those reach further than fifteen decimal ones
#include <assert.h>
#include <stdio.h>

int main(void)
{
    long long number;
    if (scanf("%15lli", &number) == 1)
        assert(number < 1000000000000000LL);
    return 0;
}
