// expect[sc]: safe
// expect[tso]: safe
// expect[rc11]: safe
// property: reach,assert
// engines: declarative
// why: a loop that runs once: its variable says so, and it is not unrolled without end
#include <assert.h>

int x;

int main(void)
{
    x = 1;
    while (x == 1)
        x = 0;
    assert(x == 0);
    return 0;
}
