// expect: unknown
// why: the second array may begin where the first one ends
#include <assert.h>

int a[4], b[4];
int main(void) {
    int *end = a + 4;
    int *start = b;
    assert(end != start);
    return 0;
}
