// expect[assert]: safe
// engines: bmc
// why: the new value is computed of the one that the update finds
#include <assert.h>
#include <stdatomic.h>

atomic_int n = 4;

int main(void)
{
    n *= 2.5;
    assert(n == 10);
    return 0;
}
