// expect: safe
// why: order and distance within an object do not depend on where it lies
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct pair {
    int first;
    int second;
};
struct item {
    char name[12];
    struct pair pair;
    struct item *next;
};
#define owner(pointer) ((struct item *)((char *)(pointer) - offsetof(struct item, pair)))

int numbers[6];
int main(void) {
    int sum = 0;
    for (int *p = numbers; p < numbers + 6; p++)
        sum += (int)(p - numbers);
    assert(sum == 15);
    struct item *item = malloc(sizeof *item);
    struct pair *pair = &item->pair;
    assert(owner(pair) == item);
    assert(&pair->second > &pair->first);
    assert((char *)&pair->second - (char *)item == 16);
    assert((uintptr_t)pair - (uintptr_t)item == 12);
    char *block = malloc(4);
    char *end = block + 4;
    int n = 0;
    while (block + n < end)
        n++;
    assert(n == 4);
    return 0;
}
