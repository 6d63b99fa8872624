// expect[memsafety]: unknown
// why: a variable of main, which has not returned, names the block when the process ends; but nobody reads it any more, and such variables are not followed
#include <stdlib.h>

int main(void) {
    char *block = malloc(8);
    *block = 1;
    if (*block)
        exit(0);
    free(block);
    return 0;
}
