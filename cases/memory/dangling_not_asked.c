// expect: unknown
// property: assert
// why: the assertion looks at a local after its end, which is undefined: nobody can tell whether it holds
#include <assert.h>

int *dangling(void)
{
    int local = 3;
    int *address = &local;
    return address;
}

int main(void)
{
    int *gone = dangling();
    *gone = 7;
    int seen = *gone;
    assert(seen == 7);
    return 0;
}
