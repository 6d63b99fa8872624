// expect: safe
// why: numbers that are known only at run time are printed digit by digit
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char name[12];
    for (int i = 8; i < 12; i++) {
        int n = snprintf(name, sizeof name, "worker-%d", i);
        assert(n == (i < 10 ? 8 : 9));
        assert(name[7] == (i < 10 ? '8' + (i - 8) : '1'));
        assert(strlen(name) == (unsigned long)n);
    }
    return 0;
}
