// expect: unsafe at 8
// why: strcpy of a text onto a part of itself is undefined, although it would end
#include <string.h>

int main(void) {
    char text[8] = "abcdef";
    char *rest = text + 1;
    strcpy(text, rest);
    return 0;
}
