// expect: unsafe at 12
// engines: bmc
// why: the steady clock does not go back, that of the day may
#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert(b.tv_sec >= a.tv_sec);
    assert(time(0) <= time(0));
    return 0;
}
