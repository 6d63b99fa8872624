// expect: safe
// why: the bits below the alignment of an object are zero, so they can hold a tag
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
    struct node *next;
};
struct node first;
struct node *volatile head;

static struct node *marked(struct node *node) { return (struct node *)((uintptr_t)node | 1); }
static struct node *plain(struct node *node) { return (struct node *)((uintptr_t)node & ~(uintptr_t)1); }
static int is_marked(struct node *node) { return (uintptr_t)node & 1; }

void *worker(void *arg) {
    struct node *node = arg;
    assert(!is_marked(node));
    assert(((uintptr_t)node & 7) == 0);
    struct node *mark = marked(node);
    assert(is_marked(mark) && plain(mark) == node);
    plain(mark)->next = 0;
    return mark;
}
int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, 0, worker, &first);
    pthread_join(t, &result);
    assert(plain(result) == &first);
    uintptr_t block = (uintptr_t)malloc(3);
    assert((block & 15) == 0);
    assert((block ^ 5) % 8 == 5);
    return 0;
}
