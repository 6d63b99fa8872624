// expect[assert]: safe
// why: a pipe that does not wait takes what there is room for, and has an answer where there is nothing to read
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char got[4];
    if (pipe2(ends, O_NONBLOCK))
        return 1;
    assert(write(ends[1], "abc", 3) == 3);
    assert(read(ends[0], got, 4) == 3);
    assert(read(ends[0], got, 4) == -1 && errno == EAGAIN);
    return 0;
}
