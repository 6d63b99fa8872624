// expect: unsafe at 13
// why: an initialiser of a small member says nothing about the bytes behind it
#include <assert.h>

union both { char c; int i; };

int main(void)
{
    union both small = { .c = 1 };
    union both whole = { .i = 1 };
    assert(small.c == 1);
    assert(whole.i == 1);
    assert(small.i == 1);
    return 0;
}
