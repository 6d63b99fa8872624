// expect: safe
// why: falling through, default in the middle, ranges
#include <assert.h>

int f(int x) {
    int r = 0;
    switch (x) {
    case 1: r += 1;
    case 2: r += 10; break;
    default: r = 100;
    case 5 ... 7: r += 1000; break;
    case -1: return -5;
    }
    return r;
}
int main(void) {
    assert(f(1) == 11);
    assert(f(2) == 10);
    assert(f(9) == 1100);
    assert(f(6) == 1000);
    assert(f(-1) == -5);
    return 0;
}
