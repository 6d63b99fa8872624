// expect: safe
// why: powers, remainders and logarithms of whole numbers are whole
#include <assert.h>
#include <math.h>

int main(void)
{
    assert(pow(3, 2) == 9 && pow(2, 10) == 1024 && pow(10, 3) == 1000);
    assert(fmod(7, 3) == 1 && fmod(-7, 3) == -1);
    assert(log10(1000) == 3 && exp(0) == 1 && sin(0) == 0);
    return 0;
}
