// expect[assert]: safe
// engines: explicit bmc
// why: operands that share a register, that are used twice, that are written in part, and that have effects
#include <assert.h>

static int list[2] = { 5, 6 };
static int cell = -7;

int main(void)
{
    int first, second, i = 0, same = 4;
    long wide;
    unsigned part = 0x11223344;
    char is_zero;
    __asm__("movl %2, %0; movl %0, %1" : "=&r"(first), "=r"(second) : "m"(list[0]));
    assert(first == 5 && second == 5);
    __asm__("addl $1, %0; movl %2, %1" : "=&r"(first), "=r"(second) : "0"(same));
    assert(first == 5 && second == 5);
    __asm__ volatile("lock; incl %0" : "+m"(list[i++]) : : "memory");
    assert(i == 1 && list[0] == 6 && list[1] == 6);
    __asm__ volatile("lock; negl %0" : "+m"(cell) : : "memory");
    assert(cell == 7);
    __asm__("movb $1, %b0" : "+r"(part));
    assert(part == 0x11223301);
    __asm__("mov %1, %0" : "=r"(wide) : "i"(-1));
    assert(wide == -1);
    __asm__("subl %2, %0; sete %1" : "+r"(same), "=q"(is_zero) : "r"(4));
    assert(same == 0 && is_zero == 1);
    return 0;
}
