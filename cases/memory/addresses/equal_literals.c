// expect: unsafe at 9
// engines: explicit
// why: equal literals may be one object or two
#include <assert.h>

int main(void) {
    const char *a = "ab";
    const char *b = "ab";
    assert(a == b);
    return 0;
}
