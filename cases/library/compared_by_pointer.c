// expect[assert]: unsafe
// why: What strcmp returns beside its sign is left open, also where it is called through a pointer.
#include <assert.h>
#include <string.h>

int (*volatile compare)(const char *, const char *) = strcmp;

int main(void) {
    int order = compare("c", "a");
    assert(order > 0);
    assert(order == 1);
    return 0;
}
