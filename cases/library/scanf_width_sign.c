// expect[assert]: unsafe
// why: a number without a sign may be read with a minus, and wraps then
#include <assert.h>
#include <stdio.h>

int main(void)
{
    unsigned number;
    if (scanf("%2u", &number) == 1)
        assert(number <= 99);
    return 0;
}
