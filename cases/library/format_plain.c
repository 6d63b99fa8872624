// expect: safe
// why: a format without conversions that touch memory is fine wherever it comes from
#include <stdio.h>

static void say(const char *format, int n) { printf(format, n); }
int main(void) {
    say("%d of 100%%\n", 1);
    say("done\n", 2);
    return 0;
}
