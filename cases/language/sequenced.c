// expect: safe
// why: these look as if their order were open, and it is not

#include <assert.h>

int twice(int n) { return 2 * n; }

int main(void) {
    int i = 1, j = 0, *p = &j;
    i = i + 1;
    i = twice(i);
    i = twice(i++);
    assert(i == 8);
    i = (j = 3, j + i);
    assert(i == 11 && j == 3);
    i = j = i - 1;
    assert(i == 10 && j == 10);
    j = i++ && i == 11;
    assert(j == 1);
    *p = *p + 1;
    int a[4] = {0, 1, 2, 3}, n = 0;
    a[n] = a[n + 1];
    n += a[n];
    assert(n == 1 && j == 2);
    int *q = a;
    *q++ = *p++;
    assert(a[0] == 2 && q == a + 1);
    return 0;
}
