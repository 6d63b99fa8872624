// expect: safe
// why: places that touch do not overlap, different objects never do, and memmove may overlap
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);

struct pair { int a, b; };

int main(void) {
    char text[16] = "abcd", other[16];
    struct pair first = {1, 2}, second;
    int n = __VERIFIER_nondet_int() ? 4 : 2;
    memcpy(text + 4, text, n);
    memcpy(other, text, sizeof other);
    memcpy(&second, &first, sizeof first);
    memmove(text + 1, text, n);
    strcpy(other, "xy");
    strcat(other, "z");
    sprintf(text, "%s", other);
    char *block = malloc(4);
    memcpy(block, text, n);
    free(block);
    assert(second.b == 2 && strcmp(text, "xyz") == 0);
    return 0;
}
