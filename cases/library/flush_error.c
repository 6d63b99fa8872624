// expect: unsafe
// why: what is flushed may not fit the disk, and then there is an error number
#include <assert.h>
#include <errno.h>
#include <stdio.h>

int main(void)
{
    errno = 0;
    assert(fflush(stdout) == 0 || errno == 0);
    return 0;
}
