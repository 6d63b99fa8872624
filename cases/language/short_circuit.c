// expect: safe
#include <assert.h>

int calls;
int yes(void) { calls++; return 1; }
int no(void) { calls++; return 0; }
int main(void) {
    assert(!(no() && yes()));
    assert(calls == 1);
    assert(yes() || no());
    assert(calls == 2);
    int x = calls == 2 ? 5 : no();
    assert(x == 5 && calls == 2);
    int y = 0 ?: 7;
    assert(y == 7);
    int z = (calls++, calls++, 9);
    assert(z == 9 && calls == 4);
    return 0;
}
