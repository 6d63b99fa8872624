// expect: safe
// options: --argv-max 1 --argv-length 3
// why: under the bounds, which the answer names; the list ends with a null pointer
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
    assert(argc >= 1 && argc <= 2);
    for (int i = 1; i < argc; i++)
        assert(strlen(argv[i]) <= 3);
    assert(argv[argc] == 0);
    return 0;
}
