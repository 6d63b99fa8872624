// expect: safe
// why: a Michael-Scott queue; nodes come from a fixed array and are never used again, so no reclamation is needed
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define ITEMS 4

struct node {
    int value;
    _Atomic(struct node *) next;
};

struct queue {
    _Atomic(struct node *) head;
    _Atomic(struct node *) tail;
};

static struct node storage[ITEMS + 1];
static atomic_int used = 1;
static struct queue q;

static void enqueue(struct queue *q, int value)
{
    struct node *n = &storage[atomic_fetch_add(&used, 1)];
    n->value = value;
    atomic_store(&n->next, NULL);
    for (;;) {
        struct node *tail = atomic_load(&q->tail);
        struct node *next = atomic_load(&tail->next);
        if (next != NULL) {
            atomic_compare_exchange_strong(&q->tail, &tail, next);
        } else if (atomic_compare_exchange_strong(&tail->next, &next, n)) {
            atomic_compare_exchange_strong(&q->tail, &tail, n);
            return;
        }
    }
}

static bool dequeue(struct queue *q, int *value)
{
    for (;;) {
        struct node *head = atomic_load(&q->head);
        struct node *tail = atomic_load(&q->tail);
        struct node *next = atomic_load(&head->next);
        if (next == NULL)
            return false;
        if (head == tail) {
            atomic_compare_exchange_strong(&q->tail, &tail, next);
            continue;
        }
        if (atomic_compare_exchange_strong(&q->head, &head, next)) {
            *value = next->value;
            return true;
        }
    }
}

static void *producer(void *arg)
{
    int base = *(int *)arg;
    enqueue(&q, base + 1);
    enqueue(&q, base + 2);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int bases[2] = { 0, 10 }, last[2] = { 0, 0 }, taken = 0, v;

    atomic_store(&q.head, &storage[0]);
    atomic_store(&q.tail, &storage[0]);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, producer, &bases[i]) != 0)
            abort();
    if (dequeue(&q, &v)) {
        last[v / 10] = v % 10;
        taken++;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    while (dequeue(&q, &v)) {
        assert(v % 10 > last[v / 10]);
        last[v / 10] = v % 10;
        taken++;
    }
    assert(taken == ITEMS);
    return 0;
}
