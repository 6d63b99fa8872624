// expect: unsafe at 9
// property: assert
// why: unsigned arithmetic wraps
#include <assert.h>

int main(void) {
    unsigned n = 0;
    n--;
    assert(n == 0 || n < 100);
    return 0;
}
