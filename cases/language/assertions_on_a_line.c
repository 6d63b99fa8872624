// expect: unsafe at 9
// why: of several assertions on one line the one that fails is told

#include <assert.h>

int x = 1, y = 2;

int main(void) {
    assert(x == 1); assert(y == 3); assert(x == y);
    return 0;
}
