// expect: unsafe at 10
// why: only the sign of a comparison is fixed
#include <assert.h>
#include <string.h>

int main(void) {
    char a[2] = "c", b[2] = "a";
    int order = strcmp(a, b);
    assert(order > 0 && strcmp(b, a) < 0 && !strcmp(a, "c"));
    assert(order == 1 || order == 2);
    return 0;
}
