// expect: unsafe at 8
// why: a word of any length may come; a width keeps it short
#include <stdio.h>

int main(void) {
    char b[8];
    if (scanf("%7s", b) != 1) return 1;
    if (scanf("%s", b) != 1) return 1;
    return 0;
}
