// expect: safe
// why: a literal is the same object each time its place is reached
#include <assert.h>
#include <string.h>

static const char *word(void) { return "word"; }
int main(void) {
    const char *a = word();
    const char *b = word();
    assert(a == b);
    assert(strcmp(a, "word") == 0);
    return 0;
}
