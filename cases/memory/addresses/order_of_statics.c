// expect: unsafe at 10
// engines: explicit
// why: locks taken in the order of their addresses are taken in some order, but not in a known one
#include <assert.h>
#include <stdint.h>

int a, b;
int main(void) {
    int *first = (uintptr_t)&a < (uintptr_t)&b ? &a : &b;
    assert(first == &a);
    return 0;
}
