// expect: safe
// why: without instructions an output that is read too keeps its value, one that shares a place has that of its input, and operands are evaluated once
#include <assert.h>

int calls, a = 1, b = 2, c = 3;

static int *place(void)
{
    calls++;
    return &a;
}

int main(void)
{
    __asm__("" : "+r"(b) : "r"(c));
    assert(b == 2);
    __asm__("" : "=r"(b) : "0"(c));
    assert(b == 3);
    __asm__("" : "+r"(*place()));
    assert(calls == 1 && a == 1);
    __builtin_prefetch(place());
    assert(calls == 2);
    return 0;
}
