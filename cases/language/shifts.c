// expect: safe
#include <assert.h>

int main(void) {
    assert((1 << 10) == 1024);
    assert((-8 >> 1) == -4);
    assert((0x80000000u >> 31) == 1);
    unsigned x = 0xdeadbeefu;
    assert(((x << 8) | (x >> 24)) == 0xadbeefdeu);
    assert((1ull << 40) == 1099511627776ull);
    return 0;
}
