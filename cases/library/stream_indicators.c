// expect[assert]: safe
// why: the indicators of a stream are off at first, stay on once set, and go off where C says so
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int c = getchar();
    if (c == EOF) {
        assert(feof(stdin) || ferror(stdin));
        assert(!ferror(stderr) && !feof(stdout));
        clearerr(stdin);
        assert(!feof(stdin) && !ferror(stdin));
    }
    FILE *file = fopen("numbers", "r");
    if (!file)
        return 1;
    assert(!feof(file) && !ferror(file));
    while (!feof(file) && !ferror(file))
        c = fgetc(file);
    assert(c == EOF);
    if (fseek(file, 0, SEEK_SET) == 0)
        assert(!feof(file));
    while (fgetc(file) != EOF)
        ;
    ungetc('1', file);
    assert(!feof(file));
    rewind(file);
    assert(!feof(file) && !ferror(file));
    fclose(file);
    return 0;
}
