// expect[assert]: safe
// why: a number of few characters is small, whatever its base, or what a small negative one wraps to
#include <assert.h>
#include <stdio.h>

int main(void)
{
    unsigned decimal, hexadecimal, octal;
    int any;
    if (scanf("%2u %3x %4o %5i", &decimal, &hexadecimal, &octal, &any) != 4)
        return 0;
    assert(decimal <= 99 || decimal >= -9u);
    assert(hexadecimal <= 0xfff || hexadecimal >= -0xffu);
    assert(octal <= 07777 || octal >= -0777u);
    assert(any <= 99999 && any >= -9999);
    return 0;
}
