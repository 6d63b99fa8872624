// expect[assert]: unsafe
// why: what puts says where nothing is wrong is any number that is not negative
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int n = puts("abc");
    assert(n != 7);
    return 0;
}
