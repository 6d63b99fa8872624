// expect: safe
// why: a jump back leaves the scopes that were entered since, and the parameters are none of those
#include <assert.h>

int n;

static int rounds(int least)
{
    int *limit = &least;
again:
    n++;
    {
        int here = n;
        int *now = &here;
        if (*now < *limit)
            goto again;
    }
    return least;
}

int main(void)
{
    assert(rounds(3) == 3 && n == 3);
    return 0;
}
