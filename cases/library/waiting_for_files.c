// expect[assert]: safe
// expect[deadlock]: safe
// why: without an end of their time poll and select come back with something, or an error; the answer about deadlocks says that this is assumed
#include <assert.h>
#include <poll.h>
#include <sys/select.h>

int main(void)
{
    struct pollfd input = { .fd = 0, .events = POLLIN };
    fd_set set;

    assert(poll(&input, 1, -1) != 0);
    FD_ZERO(&set);
    FD_SET(0, &set);
    assert(select(1, &set, 0, 0, 0) != 0);
    return 0;
}
