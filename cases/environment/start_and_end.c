// expect: unsafe at 13
// why: constructors by their priority, then main, then handlers, then destructors
#include <assert.h>
#include <stdlib.h>

static int n;

__attribute__((constructor)) static void later(void) { assert(n == 1); n = 2; }
__attribute__((constructor(200))) static void sooner(void) { assert(n == 0); n = 1; }
static void handler(void) { assert(n == 3); n = 4; }
__attribute__((destructor)) static void end(void) {
    assert(n == 4);
    assert(n == 5);
}

int main(void) {
    assert(n == 2);
    atexit(handler);
    n = 3;
    exit(0);
}
