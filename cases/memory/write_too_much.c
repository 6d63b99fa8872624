// expect: unsafe at 10
// why: as many bytes are read as are to be written
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char *b = malloc(4);
    for (int i = 0; i < 4; i++) b[i] = 'x';
    write(1, b, 4);
    write(1, b, 5);
    free(b);
    return 0;
}
