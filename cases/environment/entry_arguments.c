// expect: safe
// options: --entry sum
// why: numbers are any, pointers are null or to an object, two deep
#include <assert.h>
#include <stdbool.h>

struct node {
    int value;
    bool is_last;
    struct node *next;
};

int sum(struct node *node, int start) {
    int s = start & 1;
    for (; node; node = node->next) {
        assert(node->is_last == 0 || node->is_last == 1);
        s += node->value & 1;
    }
    return s;
}
