// expect: safe
#include <stdio.h>
#include <assert.h>

int main(void) {
    int n = 0;
    printf("%d %s\n", ++n, "text");
    fprintf(stderr, "%d", ++n);
    puts("x");
    assert(n == 2);
    return 0;
}
