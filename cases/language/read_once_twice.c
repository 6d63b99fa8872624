// expect: safe
// why: barriers of the compiler inside of two operands are no calls whose order matters
#include <assert.h>

#define barrier() __asm__ __volatile__("" : : : "memory")
#define READ_ONCE(x) ({ barrier(); __typeof__(x) value = *(volatile __typeof__(x) *)&(x); barrier(); value; })

static unsigned long first = 2, second = 1;

int main(void)
{
    assert((READ_ONCE(first) | (1UL << (READ_ONCE(second) & 1))) == 2);
    return 0;
}
