// expect: safe
#include <assert.h>

int next(void) { static int n = 5; return n++; }
int main(void) {
    assert(next() == 5);
    assert(next() == 6);
    { int n = 1; { int n = 2; assert(n == 2); } assert(n == 1); }
    return 0;
}
