// expect: unsafe
// why: (use after free) a dequeuer frees the old dummy at once; another that has loaded it as head still reads its next
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct {
    _Atomic(struct node *) head;
    _Atomic(struct node *) tail;
} q;

static struct node *node_new(int value)
{
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        abort();
    n->value = value;
    atomic_init(&n->next, NULL);
    return n;
}

/* only main enqueues, before the consumers start */
static void enqueue(int value)
{
    struct node *n = node_new(value);
    struct node *tail = atomic_load(&q.tail);
    atomic_store(&tail->next, n);
    atomic_store(&q.tail, n);
}

static int dequeue(int *value)
{
    struct node *head = atomic_load(&q.head);
    for (;;) {
        struct node *next = atomic_load(&head->next);
        if (next == NULL)
            return 0;
        int v = next->value;
        if (atomic_compare_exchange_strong(&q.head, &head, next)) {
            *value = v;
            free(head);
            return 1;
        }
    }
}

static void *consumer(void *arg)
{
    int *count = arg, v;
    while (dequeue(&v))
        ++*count;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int counts[2] = { 0, 0 };
    struct node *dummy = node_new(0);

    atomic_init(&q.head, dummy);
    atomic_init(&q.tail, dummy);
    for (int i = 1; i <= 3; i++)
        enqueue(i);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, consumer, &counts[i]) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d + %d items\n", counts[0], counts[1]);
    free(atomic_load(&q.head));
    return 0;
}
