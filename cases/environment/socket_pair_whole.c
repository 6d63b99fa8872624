// expect[assert]: safe
// why: what goes through a pair of sockets of the program's own arrives whole, and a counter counts
#include <assert.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char got[4];
    unsigned long long count = 2;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    assert(write(ends[0], "ab", 2) == 2);
    assert(recv(ends[1], got, 4, 0) == 2);
    assert(send(ends[1], "c", 1, 0) == 1);
    assert(read(ends[0], got, 4) == 1);
    int counter = eventfd(1, 0);
    if (counter < 0)
        return 1;
    assert(write(counter, &count, sizeof count) == 8);
    assert(read(counter, &count, sizeof count) == 8 && count == 3);
    return 0;
}
