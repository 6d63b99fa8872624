// expect: unsafe at 29
// property: assert
// why: a function that reads an input is called twice in a row; each call has an input of its own in the execution that is shown
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct pair {
    int one, other;
};

static unsigned below(unsigned bound)
{
    return (unsigned)__VERIFIER_nondet_int() % bound;
}

static void fill(struct pair *to)
{
    to->one = below(24);
    to->other = below(366);
}

int main(void)
{
    struct pair pair;
    unsigned sum = 17;
    fill(&pair);
    sum = (sum * 31 + pair.one) * 31 + pair.other;
    assert(sum != 17 * 31 * 31 + 3 * 31 + 5);
    return 0;
}
