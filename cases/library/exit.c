// expect: safe
// why: nothing happens after exit
#include <stdlib.h>
#include <assert.h>

void quit(void) { exit(0); }
int main(void) {
    quit();
    assert(0);
    return 0;
}
