// expect[assert]: safe
// engines: explicit bmc
// why: the zero register is as wide as it is written
#include <assert.h>

static struct { int lock, next; } pair = { 1, 2 };

int main(void)
{
    __asm__ volatile("stlr wzr, [%0]" : : "r"(&pair.lock) : "memory");
    assert(pair.lock == 0 && pair.next == 2);
    return 0;
}
