// expect[assert]: safe
// why: what has arrived in a pipe is told by poll, and so is the end of it
#include <assert.h>
#include <poll.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char got[4];
    if (pipe(ends))
        return 1;
    struct pollfd asked = {.fd = ends[0], .events = POLLIN};
    assert(poll(&asked, 1, 0) == 0);
    write(ends[1], "ab", 2);
    assert(poll(&asked, 1, 100) == 1);
    assert((asked.revents & POLLIN) != 0 && (asked.revents & POLLNVAL) == 0);
    assert(read(ends[0], got, 4) == 2);
    close(ends[1]);
    assert(poll(&asked, 1, 0) == 1);
    assert((asked.revents & (POLLIN | POLLHUP)) != 0);
    return 0;
}
