// expect: unsafe at 12
// property: memsafety
// why: more arguments are taken than were given
#include <stdarg.h>

static int last(int n, ...) {
    va_list list;
    int found = 0;
    va_start(list, n);
    while (n-- > 0)
        // the caller says three and gives two
        found = va_arg(list, int);
    va_end(list);
    return found;
}

int main(void) { return last(3, 1, 2); }
