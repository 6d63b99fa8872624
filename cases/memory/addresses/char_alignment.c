// expect: unsafe at 9
// engines: explicit
// why: an array of char may begin anywhere
#include <assert.h>
#include <stdint.h>

char text[5];
int main(void) {
    assert(((uintptr_t)text & 7) == 0);
    return 0;
}
