// expect: safe
// why: a variable lives as long as its block, also when a jump goes back before its declaration

#include <assert.h>

int main(void) {
    int *kept = 0;
    int rounds = 0;
    {
    again:
        if (kept) {
            assert(*kept == 7);
            *kept = 8;
            goto past;
        }
        int here = 7;
        kept = &here;
        rounds++;
        goto again;
    past:
        assert(here == 8);
    }
    assert(rounds == 1);

    int n = 0;
    {
    next:
        if (n == 2)
            goto end;
        int value = 5;
        value += n;
        n++;
        goto next;
    end:
        assert(value == 6);
    }
    return 0;
}
