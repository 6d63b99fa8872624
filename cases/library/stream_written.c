// expect[assert]: safe
// why: who cannot write everything finds an error noted, and functions that write a text say EOF or nothing negative
#include <assert.h>
#include <stdio.h>

int main(void)
{
    FILE *file = fopen("numbers", "w");
    if (!file)
        return 1;
    if (fwrite("abc", 1, 3, file) < 3)
        assert(ferror(file));
    else
        assert(!ferror(file));
    clearerr(file);
    int n = fputs("abc", file);
    assert(n == EOF || n >= 0);
    assert((n == EOF) == (ferror(file) != 0));
    if (fputc('x', file) == EOF)
        assert(ferror(file));
    n = puts("abc");
    assert(n >= 0 || ferror(stdout));
    return 0;
}
