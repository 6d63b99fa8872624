// expect[overflow]: safe
// expect: safe
// why: a second more than now fits a number
#include <time.h>

int main(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    return 0;
}
