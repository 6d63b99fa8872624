// expect: unsafe at 11
// why: a class is told by any number but zero
#include <assert.h>
#include <ctype.h>

int main(void) {
    char c = 'q';
    assert(isalpha(c) && !isdigit(c) && isspace(' '));
    assert(toupper(c) == 'Q');
    int (*of)(int) = toupper;
    assert((isalpha)(c) == 1 || of(c) != 'Q');
    return 0;
}
