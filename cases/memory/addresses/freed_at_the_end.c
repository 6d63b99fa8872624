// expect: safe
// property: basic
// why: no block is made after one has been freed, so that every comparison is of live blocks
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
};
struct node *head;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *push(void *arg) {
    struct node *node = malloc(sizeof *node);
    pthread_mutex_lock(&lock);
    assert(node != head);
    node->next = head;
    head = node;
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, push, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    struct node *first = head;
    assert(first->next != first);
    free(first->next);
    free(first);
    return 0;
}
