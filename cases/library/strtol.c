// expect: safe
// why: numbers in texts are read as the standard says
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int main(void) {
    char *end;
    const char *text = " -42abc";
    assert(strtol(text, &end, 10) == -42 && end == text + 4);
    assert(strtoul("0x1F", &end, 0) == 31 && *end == 0);
    assert(strtol("zz", &end, 36) == 35 * 36 + 35);
    assert(strtol("none", &end, 10) == 0 && *end == 'n');
    errno = 0;
    assert(strtol("99999999999999999999", 0, 10) == LONG_MAX && errno == ERANGE);
    return 0;
}
