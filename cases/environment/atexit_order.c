// expect: unsafe at 9
// why: handlers run when the process ends, the last one first, and after main has returned
#include <assert.h>
#include <stdlib.h>

static int n;

static void second(void) { assert(n == 1); n = 2; }
static void last(void) { assert(n != 2); }
static void first(void) { assert(n == 0); n = 1; }

int main(void) {
    atexit(last);
    atexit(second);
    atexit(first);
    return 0;
}
