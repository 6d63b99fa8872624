// expect: safe
// property: assert
// why: what an initialiser leaves out of an array is zero, in a union as elsewhere
#include <assert.h>

typedef union {
    char text[8];
} word;

int main(void)
{
    word w = {{0}};
    assert(w.text[2] == 0);
    return 0;
}
