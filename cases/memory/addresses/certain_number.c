// expect: unknown
// why: an object may lie at this very address
#include <assert.h>

int x;
int main(void) {
    assert(&x != (int *)0x404040);
    return 0;
}
