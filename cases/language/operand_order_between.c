// expect: unsafe at 16
// why: a call in another operand may come between the two operands of an inner operator

#include <assert.h>

int trail;

int note(int n) {
    trail = trail * 10 + n;
    return n;
}

int main(void) {
    int sum = (note(1) + note(2)) + note(3);
    assert(sum == 6);
    assert(trail != 132);
    return 0;
}
