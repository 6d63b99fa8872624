// expect: unknown
// why: the index leaves its array, and the number beside it is then part of an address

#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int x;

static struct {
    int count;
    int *slots[4];
} table;

int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i < -1 || i > 3)
        return 0;
    table.slots[i] = &x;
    assert(table.count != 7);
    return 0;
}
