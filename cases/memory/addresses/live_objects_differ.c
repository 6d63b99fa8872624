// expect: safe
// why: objects that live at the same time have different addresses, and none has that of null or of small numbers
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#define CLOSED ((struct node *)-1)
#define BUSY ((struct node *)1)
struct node {
    struct node *next;
};
struct node a, b;
struct node *slot = BUSY;
int main(void) {
    struct node local;
    struct node *block = malloc(sizeof *block);
    assert(&a != &b && &local != &a && block != &a && block != &local);
    assert(block != CLOSED && slot != block);
    slot = block;
    assert(slot != BUSY && slot && slot == block);
    uintptr_t word = (uintptr_t)block;
    assert((struct node *)word == block && word);
    free(block);
    return 0;
}
