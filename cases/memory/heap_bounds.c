// expect: unsafe at 8
#include <stdlib.h>
int main(void) {
    char *p = malloc(3);
    if (!p)
        return 0;
    p[2] = 1;
    p[3] = 1;
    free(p);
    return 0;
}
