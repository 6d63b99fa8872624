// expect: unsafe at 9
// why: a text without an end is read beyond its object; a precision stops the reading
#include <stdio.h>

int main(void) {
    char b[3] = {'a', 'b', 'c'};
    printf("%.3s", b);
    printf("%.*s\n", 2, b);
    printf("%s\n", b);
    return 0;
}
