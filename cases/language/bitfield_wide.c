// expect: unknown
// why: for gcc a bit-field of 40 bits has a type of 40 bits and this sum is 0, for clang it has 64 bits

#include <assert.h>

struct wide {
    unsigned long long bits : 40;
} wide = {(1ULL << 40) - 1};

int main(void) {
    assert(wide.bits > 7 && wide.bits / 2 == (1ULL << 39) - 1 && wide.bits + 1ULL == 1ULL << 40);
    wide.bits -= 5;
    wide.bits++;
    assert((wide.bits & 0xf) == 11);
    wide.bits += 4;
    assert(wide.bits + 1 == 0);
    return 0;
}
