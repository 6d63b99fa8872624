// expect: safe
// why: operands of less than int are promoted, and unsigned wins at the same rank
#include <assert.h>

int main(void) {
    unsigned char a = 200, b = 100;
    assert(a + b == 300);
    unsigned char c = a + b;
    assert(c == 44);
    signed char d = (signed char)200;
    assert(d == -56);
    assert(-1 > 0u);
    assert(-1L < 0u);
    assert((unsigned short)-1 == 65535);
    assert(sizeof(a + b) == sizeof(int));
    assert(~(unsigned char)0 == -1);
    return 0;
}
