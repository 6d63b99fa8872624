// expect: safe
// why: a function that is missing matters only to executions that call it
#include <assert.h>

void nobody(void);

int main(void) {
    volatile int n = 2;
    if (n > 2)
        nobody();
    assert(n == 2);
    return 0;
}
