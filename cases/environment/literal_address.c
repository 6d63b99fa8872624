// expect: safe
// why: a literal of a scalar type is an object, which lives as long as its block
#include <assert.h>

static int read_it(const int *place) { return *place; }

int main(void) {
    int *p = &(int){4};
    *p += 1;
    assert(*p == 5);
    assert(read_it(&(int){7}) == 7);
    return 0;
}
