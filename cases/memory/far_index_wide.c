// expect[memsafety]: unsafe
// engines: explicit bmc
// why: half of the range of an index leads to no other object of a program
#include <stdlib.h>

static struct { int x, y; } near[4], far[4];

int main(void)
{
    unsigned i = 1u << 30;
    int *p = malloc(16), *q = malloc(16);
    if (!p || !q)
        exit(0);
    q[0] = far[0].x;
    if (q[0] == near[0].x)
        p[2 * i] = 1;
    free(p);
    free(q);
    return 0;
}
