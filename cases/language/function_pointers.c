// expect: safe
#include <assert.h>

int add(int a, int b) { return a + b; }
int sub(int a, int b) { return a - b; }
int (*table[2])(int, int) = {add, sub};
int apply(int (*f)(int, int), int a, int b) { return f(a, b); }
int main(void) {
    assert(table[0](3, 4) == 7);
    assert((*table[1])(3, 4) == -1);
    assert(apply(&add, 1, 1) == 2);
    assert(table[0] != table[1] && table[0] == add);
    return 0;
}
