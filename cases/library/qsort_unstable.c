// expect: unsafe
// why: qsort promises no order of elements that compare equal
#include <assert.h>
#include <stdlib.h>

struct card {
    int rank;
    int suit;
};

int by_rank(const void *a, const void *b)
{
    return ((const struct card *)a)->rank - ((const struct card *)b)->rank;
}

int main(void)
{
    struct card cards[2] = {{1, 1}, {1, 2}};
    qsort(cards, 2, sizeof cards[0], by_rank);
    assert(cards[0].suit == 1);
    return 0;
}
