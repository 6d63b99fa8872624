// expect: safe
// why: memmove of one record onto a place that overlaps it reads everything before it writes

#include <assert.h>
#include <string.h>

struct three {
    int x, y, z;
};

int main(void) {
    int numbers[4] = {1, 2, 3, 4};
    struct three *low = (struct three *)numbers;
    struct three *high = (struct three *)(numbers + 1);
    memmove(high, low, sizeof *high);
    assert(numbers[0] == 1 && numbers[1] == 1 && numbers[2] == 2 && numbers[3] == 3);
    memmove(low, high, sizeof *low);
    assert(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3 && numbers[3] == 3);
    return 0;
}
