// expect[assert]: unsafe
// why: the end stays noted where the place is not found
#include <assert.h>
#include <stdio.h>

int main(void)
{
    while (getchar() != EOF)
        ;
    fseek(stdin, 0, SEEK_SET);
    assert(!feof(stdin));
    return 0;
}
