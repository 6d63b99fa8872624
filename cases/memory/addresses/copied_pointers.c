// expect: safe
// property: basic
// engines: bmc
// why: pointers that are copied with the bytes around them still point where they did, and the text beside them is text
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct item {
    char name[8];
    int *value;
};
int x;
int main(void) {
    struct item *a = malloc(sizeof *a);
    void *copy = malloc(sizeof *a);
    strcpy(a->name, "item");
    a->value = &x;
    memcpy(copy, a, sizeof *a);
    struct item *b = copy;
    assert(b->value == &x);
    assert(strlen(b->name) == 4 && strcmp(a->name, "item") == 0);
    assert(a->name[0] == 'i');
    return 0;
}
