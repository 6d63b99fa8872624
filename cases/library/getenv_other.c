// expect: unsafe at 9
// why: two variables of the environment are set independently
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *home = getenv("HOME");
    char *path = getenv("PATH");
    assert((home == 0) == (path == 0));
    return 0;
}
