// expect: unsafe at 12
// why: a number that does not fit the integer it is converted to becomes any, not that of one processor
#include <assert.h>
#include <limits.h>

volatile float large = 2147483648.0f, small = -0.75f, fits = -2147483648.0f;

int main(void)
{
    assert((unsigned char)small == 0);
    assert((int)fits == INT_MIN);
    assert((int)large == INT_MIN);
    return 0;
}
