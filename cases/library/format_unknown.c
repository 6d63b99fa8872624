// expect: unknown
// why: which argument a format reads is not known if it is not a literal
#include <stdio.h>

const char *formats[2] = {"%d\n", "%s\n"};
int main(void) {
    printf(formats[0], 1);
    printf(formats[1], "text");
    return 0;
}
