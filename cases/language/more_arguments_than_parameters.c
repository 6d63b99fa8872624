// expect: safe
// property: default
// A function without a prototype is called with an argument that it does not take: it is computed, and dropped.
#include <assert.h>

static int n_computed;

static int computed(void)
{
    return ++n_computed;
}

static int answer()
{
    return 42 + n_computed;
}

int main(void)
{
    assert(answer(computed()) == 43);
    assert(n_computed == 1);
    return 0;
}
