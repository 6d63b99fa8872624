// expect: unsafe at 10
// engines: explicit
// why: nothing says which of two blocks comes first
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *first = malloc(8);
    char *second = malloc(8);
    assert(first < second);
    free(first);
    free(second);
    return 0;
}
