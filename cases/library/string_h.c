// expect: safe
#include <string.h>
#include <assert.h>

int main(void) {
    char a[8] = "abc", b[8];
    assert(strlen(a) == 3);
    strcpy(b, a);
    assert(strcmp(a, b) == 0);
    b[1] = 'z';
    assert(strcmp(a, b) < 0 && strncmp(a, b, 1) == 0);
    memset(b, 'q', 3);
    assert(b[0] == 'q' && b[2] == 'q' && b[3] == 0);
    memcpy(b + 1, a, 2);
    assert(b[0] == 'q' && b[1] == 'a' && b[2] == 'b');
    memmove(b + 1, b, 3);
    assert(b[1] == 'q' && b[2] == 'a' && b[3] == 'b');
    assert(memcmp(a, "abd", 3) < 0);
    assert(strchr(a, 'b') == a + 1 && strchr(a, 'x') == 0);
    return 0;
}
