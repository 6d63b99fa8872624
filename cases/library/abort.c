// expect: safe
// why: abort is no error of this kind
#include <stdlib.h>
#include <assert.h>

int main(void) {
    abort();
    assert(0);
    return 0;
}
