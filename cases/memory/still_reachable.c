// expect: safe
// expect[memsafety]: safe
// expect[memcleanup]: unsafe
// why: a global still points to it
#include <stdlib.h>
int *global;
int main(void) {
    global = malloc(4);
    return 0;
}
