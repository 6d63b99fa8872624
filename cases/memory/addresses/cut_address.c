// expect: unsafe at 10
// engines: explicit
// why: the lower half of an address is whatever the linker made it
#include <assert.h>
#include <stdint.h>

int x;
int main(void) {
    uint32_t low = (uint32_t)(uintptr_t)&x;
    assert(low == 0);
    return 0;
}
