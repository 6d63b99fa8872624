// expect: unknown
// why: a variable that is changed and read in one expression, in no order, has no meaning in C

#include <assert.h>

int main(void) {
    int i = 1;
    int a[3] = {0, 0, 0};
    a[i] = i++;
    assert(i == 2);
    return 0;
}
