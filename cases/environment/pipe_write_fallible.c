// options: --fallible
// expect[assert]: unsafe
// why: where calls may fail, what is written to a pipe need not arrive
#include <assert.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    if (pipe(ends))
        return 1;
    assert(write(ends[1], "!", 1) == 1);
    return 0;
}
