// expect: unsafe at 12
// engines: explicit
// why: in which bucket a block falls depends on its address
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

void *bucket[4];
int main(void) {
    void *key = malloc(16);
    bucket[((uintptr_t)key >> 4) % 4] = key;
    assert(bucket[0] == key);
    return 0;
}
