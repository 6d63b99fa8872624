// expect[assert]: safe
// why: what a handler blocks is told again, and is blocked while it runs only
#include <assert.h>
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t n_handled;

static void handle(int number)
{
    sigset_t blocked;

    (void)number;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    assert(sigismember(&blocked, SIGUSR1) && sigismember(&blocked, SIGUSR2));
    n_handled++;
}

int main(void)
{
    struct sigaction action, old;
    sigset_t blocked;

    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &old);
    assert(sigismember(&old.sa_mask, SIGUSR2) && !sigismember(&old.sa_mask, SIGUSR1));
    raise(SIGUSR1);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    assert(!sigismember(&blocked, SIGUSR1) && !sigismember(&blocked, SIGUSR2));
    assert(n_handled == 1);
    return 0;
}
