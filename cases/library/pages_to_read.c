// expect: unknown
// why: pages that cannot be written are refused by name, as writing to them is an invalid access
#include <sys/mman.h>

int main(void)
{
    char *page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return 0;
    page[0] = 1;
    return 0;
}
