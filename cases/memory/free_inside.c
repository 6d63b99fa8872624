// expect: unsafe at 6
#include <stdlib.h>
int main(void) {
    char *p = malloc(4);
    if (p)
        free(p + 1);
    return 0;
}
