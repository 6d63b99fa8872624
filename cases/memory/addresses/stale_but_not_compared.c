// expect: safe
// why: only live blocks are compared, although others were freed before they were made
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *last = 0;
    for (int i = 0; i < 3; i++) {
        int *block = malloc(4);
        int *other = malloc(4);
        assert(block != other);
        free(block);
        free(last);
        last = other;
    }
    free(last);
    return 0;
}
