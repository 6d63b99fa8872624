// expect: unknown
// property: reach,assert
// why: a pointer that nobody has written may have the address of x, and following it is undefined
#include <assert.h>
#include <stdlib.h>

int x;

int main(void) {
    int **all = malloc(2 * sizeof *all);
    if (!all)
        return 0;
    if (all[1] == &x)
        *all[1] = 1;
    assert(x == 0);
    free(all);
    return 0;
}
