// expect: safe
// why: what the format and its arguments determine is determined
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char b[16];
    int n = snprintf(b, sizeof b, "id-%d", 7);
    assert(n == 4 && strcmp(b, "id-7") == 0);
    assert(b[n] == 0);
    n = snprintf(b, 4, "%05x|%s", 255, "long text");
    assert(n == 15 && strcmp(b, "000") == 0);
    n = sprintf(b, "%-3c%+d%%", 'x', 12);
    assert(n == 7 && strcmp(b, "x  +12%") == 0);
    n = sprintf(b, "%.2f", 1.5);
    assert(n == 4 && b[3] == '0');
    n = sprintf(b, "%.1e %g", 1500.0, 0.25);
    assert(n == 12 && strcmp(b, "1.5e+03 0.25") == 0);
    assert(snprintf(0, 0, "%s", "four") == 4);
    return 0;
}
