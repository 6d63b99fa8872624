// expect: safe
// why: Recursion that constants decide is followed to its end.
#include <assert.h>

static int sum(int n) { return n ? n + sum(n - 1) : 0; }

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int main(void) {
    assert(sum(40) == 820);
    assert(fibonacci(9) == 34);
    return 0;
}
