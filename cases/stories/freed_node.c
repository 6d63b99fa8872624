// expect: unsafe
// property: memsafety
// why: the tail of a queue still points to the node that the consumer has freed
#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct queue { pthread_mutex_t m; struct node *head; struct node *tail; };
static struct queue q = { .m = PTHREAD_MUTEX_INITIALIZER };
static void push(struct queue *q, int v) {
    struct node *n = malloc(sizeof *n);
    n->value = v; n->next = NULL;
    pthread_mutex_lock(&q->m);
    if (q->tail) q->tail->next = n; else q->head = n;
    q->tail = n;
    pthread_mutex_unlock(&q->m);
}
static struct node *pop(struct queue *q) {
    pthread_mutex_lock(&q->m);
    struct node *n = q->head;
    if (n) { q->head = n->next; }
    pthread_mutex_unlock(&q->m);
    return n;
}
static void *consumer(void *arg) {
    struct node *n = pop(arg);
    if (n) { int v = n->value; free(n); (void)v; }
    return NULL;
}
int main(void) {
    push(&q, 1);
    pthread_t t;
    pthread_create(&t, NULL, consumer, &q);
    push(&q, 2);
    pthread_join(t, NULL);
    return 0;
}
