// expect: unsafe at 15
// why: both blocks are allocated once, and may get places of their own before the position is carried over
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *text = calloc(4, 1), *marks = calloc(4, 1);
    if (!text || !marks)
        return 0;
    text[2] = 1;
    char *at = text;
    while (!*at)
        at++;
    marks[at - text] = 1;
    assert(marks[2] == 0);
    free(text);
    free(marks);
    return 0;
}
