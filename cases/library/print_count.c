// expect: safe
// why: %n stores what has been printed so far
#include <assert.h>
#include <stdio.h>

int main(void) {
    int at = -1;
    int n = printf("ab%n%d\n", &at, 45);
    assert(at == 2);
    assert(n == 5 || n < 0);
    return 0;
}
