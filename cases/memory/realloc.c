// expect: safe
// expect[memsafety]: safe
#include <stdlib.h>
#include <assert.h>

int main(void) {
    int *p = calloc(2, sizeof *p);
    if (!p)
        return 0;
    assert(p[0] == 0 && p[1] == 0);
    p[1] = 7;
    int *q = realloc(p, 4 * sizeof *p);
    if (!q) {
        free(p);
        return 0;
    }
    q[3] = 1;
    assert(q[1] == 7);
    free(q);
    return 0;
}
