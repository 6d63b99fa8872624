// expect: safe
// why: a format with a list is made exactly, also where the format is known only when it runs
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char text[32];

static int say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return n;
}

int main(void) {
    assert(say("%d-%s", -7, "ab") == 5);
    assert(strcmp(text, "-7-ab") == 0);
    assert(say("%3u|%-2c|%x", 5u, 'z', 255) == 9);
    assert(strcmp(text, "  5|z |ff") == 0);
    return 0;
}
