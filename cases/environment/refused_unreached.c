// expect: safe
// why: a function that cannot be understood matters only to executions that call it
#include <assert.h>

static int outer(int n) {
    int inner(int k) { return k + n; }
    return inner(1);
}

int main(void) {
    volatile int n = 2;
    if (n > 2)
        n = outer(n);
    assert(n == 2);
    return 0;
}
