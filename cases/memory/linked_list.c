// expect: safe
// expect[memsafety]: safe
#include <stdlib.h>
#include <assert.h>

struct node { int value; struct node *next; };
int main(void) {
    struct node *list = 0;
    for (int i = 0; i < 4; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            exit(1);
        node->value = i;
        node->next = list;
        list = node;
    }
    int sum = 0;
    while (list) {
        struct node *next = list->next;
        sum = sum * 10 + list->value;
        free(list);
        list = next;
    }
    assert(sum == 3210);
    return 0;
}
