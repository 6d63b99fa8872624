// expect: unknown
// why: what comes out of a pipe is what went in, which is not followed
#include <assert.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char sent = 'x', got = 0;
    if (pipe(ends) == 0 && write(ends[1], &sent, 1) == 1 && read(ends[0], &got, 1) == 1)
        assert(got == 'x');
    return 0;
}
