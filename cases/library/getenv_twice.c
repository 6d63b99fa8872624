// expect: safe
// why: the environment gives the same answer to the same question
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *first = getenv("HOME");
    char *other = getenv("PATH");
    char *second = getenv("HOME");
    assert((first == 0) == (second == 0));
    if (first)
        assert(first[0] == second[0]);
    return other != 0;
}
