// expect: safe
#include <assert.h>

#define max(a, b) ({ __typeof__(a) x = (a); __typeof__(b) y = (b); x > y ? x : y; })
int main(void) {
    int n = 0;
    assert(max(n++, -5) == 0 && n == 1);
    __auto_type big = 1ull << 33;
    assert(sizeof big == 8);
    assert(__builtin_expect(n == 1, 1));
    assert(_Generic(1.0f, int: 1, float: 2, default: 3) == 2);
    assert(__builtin_offsetof(struct { char c; int i; }, i) == 4);
    assert(_Alignof(long long) == 8);
    return 0;
}
