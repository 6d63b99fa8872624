// expect: unsafe at 7
// why: opening may fail
#include <stdio.h>

int main(void) {
    FILE *f = fopen("log", "w");
    fprintf(f, "begin\n");
    fclose(f);
    return 0;
}
