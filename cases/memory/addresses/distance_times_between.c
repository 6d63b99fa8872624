// expect: unknown
// why: how far two objects lie from each other is for the layout to say, however often it is taken
#include <assert.h>

char a[8], b[8];
int counts[8];

int main(int argc, char **argv) {
    char *p = argc > 1 ? a : b;
    assert((p - a) * 4 != 64);
    return counts[argc > 1 ? 0 : 1];
}
