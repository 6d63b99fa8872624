// expect: safe
// expect[memsafety]: safe
// expect[memcleanup]: safe
// why: what a stream is made of belongs to the library, which closes it at exit
#include <stdio.h>

int main(void) {
    FILE *file = fopen("name", "r");
    file = 0;
    return 0;
}
