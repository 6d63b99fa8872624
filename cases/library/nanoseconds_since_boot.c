// expect[overflow]: safe
// why: a time of today in nanoseconds fits a number of 64 bits
#include <stdint.h>
#include <time.h>

int main(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 1;
    int64_t nanoseconds = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    return nanoseconds < 0;
}
