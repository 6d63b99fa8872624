// expect: unsafe at 12
// property: memsafety
// why: printing a list reads the texts in it
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
}

int main(void) {
    char *text = strdup("a");
    free(text);
    say("%d %s\n", 1, text);
    return 0;
}
