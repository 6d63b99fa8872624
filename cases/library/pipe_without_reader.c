// expect[assert]: safe
// why: who writes to a pipe without readers gets a signal, which ends the process unless it is ignored
#include <assert.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int ends[2];

    (void)argv;
    if (pipe(ends) != 0)
        return 1;
    close(ends[0]);
    if (argc > 1) {
        signal(SIGPIPE, SIG_IGN);
        assert(write(ends[1], "x", 1) == -1);
        return 0;
    }
    (void)!write(ends[1], "x", 1);
    assert(0);
    return 0;
}
