// expect: safe
// engines: bmc cegar
// why: an object is as large as it likes; what it does not fit into says so

#include <assert.h>

char bytes[1ul << 40];
int numbers[1u << 31] = {[1u << 30] = 7};

struct wide {
    char before[1ul << 36];
    int last;
} wide;

int main(void) {
    bytes[1ul << 39] = 1;
    wide.last = 3;
    assert(bytes[1ul << 39] == 1 && bytes[(1ul << 39) + 1] == 0);
    assert(numbers[1u << 30] == 7 && numbers[5] == 0);
    assert(wide.last == 3 && wide.before[17] == 0);
    return 0;
}
