// expect: unsafe at 30
// property: memsafety
// why: objects of alloca in a loop all live until the function returns, and no longer
#include <alloca.h>

struct node {
    int value;
    struct node *next;
};

static struct node *kept;

static int count(int n) {
    struct node *list = 0;
    for (int i = 0; i < n; i++) {
        struct node *node = alloca(sizeof *node);
        node->value = i;
        node->next = list;
        list = node;
    }
    int sum = 0;
    for (struct node *node = list; node; node = node->next)
        sum += node->value;
    kept = list->next;
    return sum;
}

int main(void) {
    int sum = count(3);
    return sum == 3 ? kept->value : 0;
}
