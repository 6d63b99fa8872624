// expect: unsafe
// why: abort sends a signal that a handler may catch, and the handler runs
#include <assert.h>
#include <signal.h>
#include <stdlib.h>

static void caught(int number)
{
    assert(number != SIGABRT);
}

int main(void)
{
    signal(SIGABRT, caught);
    abort();
}
