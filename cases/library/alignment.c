// expect: safe
// why: an alignment that is no power of two or too small is refused, and what malloc promises holds for all of them
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    void *line = aligned_alloc(64, 128);
    void *page = 0;
    assert((uintptr_t)line % 16 == 0);
    assert(posix_memalign(&page, 4096, 100) == 0);
    assert((uintptr_t)page % 16 == 0);
    assert(posix_memalign(&page, 24, 100) != 0);
    free(line);
    free(page);
    return 0;
}
