// expect[assert]: safe
// why: who gets no character finds the end or an error noted on the stream
#include <assert.h>
#include <stdio.h>

int main(void)
{
    char line[4];
    int first = getchar();

    if (first == EOF) {
        assert(feof(stdin) || ferror(stdin));
        return 0;
    }
    if (!fgets(line, sizeof line, stdin))
        assert(ferror(stdin) || feof(stdin));
    return 0;
}
