// expect: safe
// why: reading a text that is there is determined
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    int x = 0, y = 0, at = 0;
    char name[8], rest[4], c;
    assert(sscanf("12, -7", "%d , %d", &x, &y) == 2 && x == 12 && y == -7);
    assert(sscanf("key=0x1f;", "%7[a-z]=%x%c%n", name, &x, &c, &at) == 3);
    assert(strcmp(name, "key") == 0 && x == 31 && c == ';' && at == 9);
    assert(sscanf("ab cd", "%*s %3s", rest) == 1 && strcmp(rest, "cd") == 0);
    assert(sscanf("", "%d", &x) == EOF && sscanf("x", "%d", &x) == 0);
    return 0;
}
