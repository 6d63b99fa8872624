// expect: unknown
// why: what the text of an address is only the implementation knows; that two of the same differ must not be called found
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    int x;
    char first[40], second[40];
    sprintf(first, "%p", (void *)&x);
    sprintf(second, "%p", (void *)&x);
    assert(strcmp(first, second) == 0);
    return 0;
}
