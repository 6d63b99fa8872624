// expect: safe
// property: basic
// why: the old node is freed when nobody can have it any more, so that no other has its address
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};
_Atomic(struct node *) top;
_Atomic int round;

void *pop(void *arg) {
    int before = round;
    struct node *old = top;
    if (!old || round != before)
        return 0;
    struct node *expected = old;
    if (atomic_compare_exchange_strong(&top, &expected, (struct node *)0))
        assert(round == before);
    return 0;
}
int main(void) {
    pthread_t t;
    struct node *first = malloc(sizeof *first);
    top = first;
    pthread_create(&t, 0, pop, 0);
    struct node *taken = first;
    if (atomic_compare_exchange_strong(&top, &taken, (struct node *)0)) {
        struct node *second = malloc(sizeof *second);
        round = 1;
        top = second;
    }
    pthread_join(t, 0);
    free(first);
    return 0;
}
