// expect: safe
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    div_t a = div(-7, 2);
    ldiv_t b = ldiv(7, -2);
    char line[] = "a,b", *rest = line;
    assert(a.quot == -3 && a.rem == -1);
    assert(b.quot == -3 && b.rem == 1);
    assert(floor(-1.5) == -2 && ceil(1.2) == 2 && round(-2.5) == -3 && trunc(2.9) == 2);
    assert(atof("12") == 12);
    assert(strcmp(strsep(&rest, ","), "a") == 0 && strcmp(rest, "b") == 0);
    return 0;
}
