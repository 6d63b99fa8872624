// expect: safe
// why: a character that is put back is the next one
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int c = getchar();
    if (c == EOF)
        return 0;
    if (ungetc(c, stdin) == c)
        assert(getchar() == c);
    return 0;
}
