// expect: unsafe at 13
// engines: explicit
// why: the bytes of a stored pointer are those of an address
#include <assert.h>

int x;
union both {
    int *pointer;
    unsigned char bytes[sizeof(int *)];
} u;
int main(void) {
    u.pointer = &x;
    assert(u.bytes[0] == 0);
    return 0;
}
