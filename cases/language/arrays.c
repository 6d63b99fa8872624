// expect: safe
#include <assert.h>

int grid[2][3] = {{1, 2, 3}, {4, [2] = 6}};
int main(void) {
    assert(grid[1][1] == 0 && grid[1][2] == 6);
    int *p = &grid[0][0];
    assert(p[5] == 6);
    assert(*(p + 2) == 3);
    int a[] = {[3] = 4, 5};
    assert(sizeof a / sizeof a[0] == 5 && a[0] == 0 && a[4] == 5);
    int *q = a + 4;
    assert(q - a == 4 && q > a);
    assert(q[-1] == 4 && 1[q - 2] == 4);
    return 0;
}
