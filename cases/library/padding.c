// expect: safe
// why: memset, memcpy, memmove and memcmp treat padding like all other bytes

#include <assert.h>
#include <string.h>

struct padded {
    char c;
    int i;
    short s;
};

struct outer {
    struct padded part[2];
    char last;
};

int main(void) {
    struct padded a, b;
    memset(&a, 0x5a, sizeof a);
    assert(((unsigned char *)&a)[1] == 0x5a && ((unsigned char *)&a)[sizeof a - 1] == 0x5a);
    memcpy(&b, &a, sizeof a);
    assert(memcmp(&a, &b, sizeof a) == 0);
    ((unsigned char *)&b)[2] = 1;
    assert(memcmp(&a, &b, sizeof a) != 0);

    struct outer from, to;
    memset(&from, 0, sizeof from);
    memset(&to, -1, sizeof to);
    memmove(&to, &from, sizeof to);
    assert(memcmp(&from, &to, sizeof from) == 0);

    static struct outer zero;
    assert(memcmp(&zero, &to, sizeof zero) == 0);
    return 0;
}
