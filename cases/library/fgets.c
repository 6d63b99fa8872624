// expect: safe
// engines: bmc
// why: at most a line that fits, with its end
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char b[4];
    if (fgets(b, sizeof b, stdin)) {
        assert(strlen(b) < sizeof b);
        char *end = strchr(b, '\n');
        if (end) *end = 0;
    }
    return 0;
}
