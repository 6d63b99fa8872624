// expect: safe
// why: what the process is given at its start stays the same; a wait of an impossible time and a file that is not there are refused
#include <assert.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec never = { 0, -1 };
    struct pollfd none = { .fd = -1, .events = POLLIN };
    assert(isatty(0) == isatty(0));
    umask(022);
    assert(umask(0) == 022);
    assert(nanosleep(&never, 0) == -1);
    assert(poll(&none, 1, 0) <= 0);
    return 0;
}
