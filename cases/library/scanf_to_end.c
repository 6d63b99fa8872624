// expect[assert]: unsafe
// why: a number that ends with the input leaves its end noted, although it was read
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int n;
    if (scanf("%d", &n) == 1)
        assert(!feof(stdin));
    return 0;
}
