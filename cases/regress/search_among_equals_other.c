// expect: unsafe
// property: assert
// why: bsearch may find any of several equal elements, the first one, too
#include <assert.h>
#include <stdlib.h>

static int compare(const void *one, const void *other) {
    return *(const int *)one - *(const int *)other;
}

int main(void) {
    int numbers[] = {1, 1};
    int key = 1;
    int *found = bsearch(&key, numbers, 2, sizeof *numbers, compare);
    assert(found != numbers);
    return 0;
}
