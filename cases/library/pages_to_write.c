// expect: safe
// why: pages that can be read and written are zeros at first, and there is no mapping of nothing
#include <assert.h>
#include <errno.h>
#include <sys/mman.h>

int main(void)
{
    char *page = mmap(0, 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return 0;
    page[0]++;
    assert(page[0] == 1 && page[15] == 0);
    munmap(page, 16);
    assert(mmap(0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
    return 0;
}
