// expect: unsafe at 20
// why: an assignment may leave anything in the padding of its target

#include <assert.h>
#include <string.h>

struct padded {
    char c;
    int i;
};

int main(void) {
    struct padded a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    a.c = 1;
    a.i = 2;
    b = a;
    assert(b.c == 1 && b.i == 2);
    assert(memcmp(&a, &b, sizeof a) == 0);
    return 0;
}
