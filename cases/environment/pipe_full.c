// expect[assert]: unsafe
// why: there may be no more room in a pipe than for what is written at once, and one that does not wait says so
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

char page[4096];

int main(void)
{
    int ends[2];
    if (pipe2(ends, O_NONBLOCK))
        return 1;
    write(ends[1], page, sizeof page);
    assert(write(ends[1], "!", 1) == 1);
    return 0;
}
