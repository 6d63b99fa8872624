// expect: unsafe at 7
// why: sprintf must not read what it writes
#include <stdio.h>

int main(void) {
    char text[16] = "abc";
    sprintf(text, "%sd", text);
    return 0;
}
