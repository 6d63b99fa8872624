// expect: safe
#include <assert.h>

int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int is_odd(int n);
int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
int main(void) {
    assert(fib(6) == 8);
    assert(is_even(5) == 0);
    return 0;
}
