// expect: safe
#include <assert.h>

struct flags { unsigned a : 3; int b : 4; unsigned : 0; unsigned c : 1; };
int main(void) {
    struct flags f = {0};
    f.a = 9;
    assert(f.a == 1);
    f.b = 15;
    assert(f.b == -1);
    f.c = 1;
    assert(f.a == 1 && f.b == -1 && f.c == 1);
    f.a += 7;
    assert(f.a == 0 && f.b == -1);
    return 0;
}
