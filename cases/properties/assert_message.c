// expect[assert]: unsafe at 8
// expect[reach]: safe
// why: an assertion is not an error call
#include <assert.h>

int main(void) {
    int x = 1;
    assert(x == 2 && "x is two");
    return 0;
}
