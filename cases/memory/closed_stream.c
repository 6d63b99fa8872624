// expect: unsafe at 10
// why: a stream ends when it is closed
#include <stdio.h>

int main(void) {
    FILE *f = fopen("log", "w");
    if (!f) return 1;
    fprintf(f, "begin %d\n", 1);
    fclose(f);
    fputs("end\n", f);
    return 0;
}
