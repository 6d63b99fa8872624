// expect[assert]: safe
// why: who reads nothing by a format finds the end or an error noted
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int n, sum = 0;
    assert(!feof(stdin));
    if (scanf("%d", &n) == EOF)
        assert(feof(stdin) || ferror(stdin));
    else
        sum = 1;
    assert(sum <= 1);
    return 0;
}
