// expect: unsafe at 10
// why: puts reads its text
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *b = malloc(2);
    b[0] = 0;
    free(b);
    puts(b);
    return 0;
}
