// expect: unsafe at 13
// engines: explicit
// why: the second block may get the address of the first
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    int *first = malloc(4);
    uintptr_t old = (uintptr_t)first;
    free(first);
    int *second = malloc(4);
    assert((uintptr_t)second != old);
    free(second);
    return 0;
}
