// expect: safe
// why: the function that cleans up runs on every way out of the block, the last variable first
#include <assert.h>

static int n, order[4];

static void close_it(int *place) { order[n++] = *place; }

static int early(int leaves) {
    __attribute__((cleanup(close_it))) int a = 1;
    {
        __attribute__((cleanup(close_it))) int b = 2;
        if (leaves)
            return 7;
    }
    return 8;
}

int main(void) {
    assert(early(1) == 7);
    assert(n == 2 && order[0] == 2 && order[1] == 1);
    n = 0;
    assert(early(0) == 8);
    assert(n == 2 && order[0] == 2 && order[1] == 1);
    return 0;
}
