// expect: safe
// property: assert
// why: no more comes out of a pipe than went in, all of it at once, and then its end once nobody can write
#include <assert.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char got[8];
    if (pipe(ends))
        return 0;
    if (write(ends[1], "abc", 3) != 3)
        return 0;
    long n = read(ends[0], got, 2);
    assert(n == 2 || n == -1);
    if (n != 2)
        return 0;
    close(ends[1]);
    n = read(ends[0], got, 8);
    assert(n == 1 || n == -1);
    if (n == 1)
        assert(read(ends[0], got, 8) <= 0);
    return 0;
}
