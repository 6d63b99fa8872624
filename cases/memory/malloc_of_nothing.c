// expect: unsafe at 10
// why: a block of no bytes may be null, also where allocations succeed
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    char *some = malloc(1), *none = malloc(0);
    assert(some != 0);
    assert(none != 0);
    free(none);
    free(some);
    return 0;
}
