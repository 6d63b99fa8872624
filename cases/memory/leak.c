// expect: safe
// expect[memsafety]: unsafe
// expect[memcleanup]: unsafe
// why: the only pointer is lost
#include <stdlib.h>
int main(void) {
    int *p = malloc(4);
    p = 0;
    return 0;
}
