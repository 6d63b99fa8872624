// expect: unknown
// why: the function cannot be understood, and it is called
#include <assert.h>

static int outer(int n) {
    int inner(int k) { return k + n; }
    return inner(1);
}

int main(void) {
    assert(outer(1) == 2);
    return 0;
}
