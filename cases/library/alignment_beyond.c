// expect: unknown
// why: which alignment an allocation was asked for is not followed into the call, and no other answer may rest on one layout
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    void *page = aligned_alloc(4096, 4096);
    assert((uintptr_t)page % 4096 == 0);
    free(page);
    return 0;
}
