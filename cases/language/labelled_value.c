// expect: unsafe at 21
// why: the value of a statement expression is that of its last statement, whatever labels stand before it

#include <assert.h>

int found(int v) {
    return ({
        int r = 7;
        if (v)
            goto done;
        r = 1;
    done:
    again:
        r;
    });
}

int main(void) {
    assert(found(1) == 7);
    assert(found(0) == 1);
    assert(found(1) == 0);
    return 0;
}
