// expect: unsafe at 14
// why: a signal that a thread sends to itself runs its handler before raise returns
#include <assert.h>
#include <signal.h>

static volatile sig_atomic_t seen;

static void note(int number) { seen = number; }

int main(void) {
    signal(SIGUSR1, note);
    raise(SIGUSR1);
    assert(seen == SIGUSR1);
    assert(seen == 0);
    return 0;
}
