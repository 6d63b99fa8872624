// expect: unsafe at 20
// why: an assignment may leave anything in the padding of its target

#include <assert.h>
#include <string.h>

struct padded {
    char c;
    short s;
};

int main(void) {
    struct padded a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    a.c = 1;
    a.s = 2;
    b = a;
    assert(b.c == 1 && b.s == 2);
    assert(memcmp(&a, &b, sizeof a) == 0);
    return 0;
}
