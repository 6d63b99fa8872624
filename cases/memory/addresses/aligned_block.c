// expect: unknown
// why: the block is aligned as it was asked for in every layout, but how it was asked for is not followed into the call
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    void *line = aligned_alloc(32, 64);
    void *table = aligned_alloc(1024, 1024);
    assert((uintptr_t)line % 32 == 0 && (uintptr_t)table % 1024 == 0);
    free(line);
    free(table);
    return 0;
}
