// expect: unsafe at 8
// why: a stream is closed, not freed
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    FILE *file = fopen("name", "r");
    free(file);
    return 0;
}
