// expect: safe
// property: assert
// why: posix_memalign fails for an alignment that is not a power of two; it was taken to succeed
#include <assert.h>
#include <stdlib.h>

int main(void) {
    void *block = 0;
    assert(posix_memalign(&block, 24, 100) != 0);
    return 0;
}
