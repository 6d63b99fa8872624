// expect: safe
// why: a compound literal is one object for as long as its block, also where a jump comes back to it
#include <assert.h>

struct pair {
    int first, second;
};

int main(void)
{
    struct pair *now = 0, *before;
    int n = 0;
again:
    before = now;
    now = &(struct pair){.second = n++};
    if (n < 3)
        goto again;
    assert(now == before && now->second == 2 && now->first == 0);
    return 0;
}
