// expect: safe
// why: C divides towards zero
#include <assert.h>

int main(void) {
    assert(-7 / 2 == -3);
    assert(-7 % 2 == -1);
    assert(7 / -2 == -3);
    assert(7 % -2 == 1);
    assert(7u / 2 == 3);
    return 0;
}
