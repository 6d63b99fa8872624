// expect: unsafe at 14
// why: the body of a loop is a block, with or without braces, and a compound literal in it ends with each round
#include <stddef.h>

struct pair {
    int first, second;
};

int main(void)
{
    struct pair *last = NULL;
    for (int i = 0; i < 2; i++)
        last = &(struct pair){i, i};
    return last->first;
}
