// expect: safe
// why: the bytes of a union are shared, least significant first
#include <assert.h>

union word { unsigned value; unsigned char bytes[4]; struct { unsigned short low, high; } half; };
int main(void) {
    union word w;
    w.value = 0x11223344;
    assert(w.bytes[0] == 0x44 && w.bytes[3] == 0x11);
    w.half.high = 0xabcd;
    assert(w.value == 0xabcd3344);
    return 0;
}
