// expect: unsafe at 11
// engines: bmc
// why: nobody knows the number of the process, but it stays the same
#include <assert.h>
#include <unistd.h>

int main(void) {
    int me = getpid();
    assert(me > 0);
    assert(getpid() == me);
    assert(me == 4242);
    return 0;
}
