// expect: safe
// why: what was set is what is found, until it is changed
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    setenv("A", "1", 1);
    setenv("A", "2", 0);
    assert(strcmp(getenv("A"), "1") == 0);
    unsetenv("A");
    assert(getenv("A") == 0);
    return 0;
}
