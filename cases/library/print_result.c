// expect: unsafe at 7
// why: printing may fail
#include <assert.h>
#include <stdio.h>

int main(void) {
    assert(printf("hello\n") == 6);
    return 0;
}
