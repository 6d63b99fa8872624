// expect: unsafe
// property: assert
// why: realloc to zero bytes may return null, as C says; it was taken never to
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *block = malloc(4);
    char *rest = realloc(block, 0);
    assert(rest);
    return 0;
}
