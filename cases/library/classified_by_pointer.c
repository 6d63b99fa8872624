// expect: safe
// why: Through a pointer as by name: a digit is told by any number but zero.
#include <assert.h>
#include <ctype.h>

struct kind { int (*is)(int); };
static const struct kind kinds[2] = { { isdigit }, { isspace } };

int main(void) {
    assert(kinds[0].is('7'));
    assert(!kinds[0].is('x'));
    assert(kinds[1].is(' '));
    assert(kinds[0].is == isdigit && kinds[0].is != isspace);
    return 0;
}
