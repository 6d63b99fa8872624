// expect: unsafe at 14
// property: assert
// why: who shuts its end down lets the other one read the end
#include <assert.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char got;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
        shutdown(ends[1], SHUT_WR);
        assert(read(ends[0], &got, 1) != 0);
    }
    return 0;
}
