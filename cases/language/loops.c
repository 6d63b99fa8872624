// expect: safe
#include <assert.h>

int main(void) {
    int n = 0;
    for (int i = 0; i < 10; i++) {
        if (i % 2)
            continue;
        if (i == 8)
            break;
        n += i;
    }
    assert(n == 12);
    do n--; while (n > 3);
    assert(n == 3);
    while (n --> 0) ;
    assert(n == -1);
    return 0;
}
