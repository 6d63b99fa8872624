// expect[c11]: unsafe
// expect[rc11]: unsafe
// property: reach,assert
// engines: bmc
// why: a stack whose updates are relaxed; nodes have a plain and an atomic field, and who reads which node is open
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static _Atomic(struct node *) top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node), *old;
    node->value = value;
    old = atomic_load_explicit(&top, memory_order_acquire);
    atomic_store_explicit(&node->next, old, memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &old, node, memory_order_relaxed, memory_order_relaxed))
        exit(0);
}

static int pop(void)
{
    struct node *node = atomic_load_explicit(&top, memory_order_acquire), *next;
    if (!node)
        return -1;
    next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (!atomic_compare_exchange_strong_explicit(&top, &node, next, memory_order_relaxed, memory_order_relaxed))
        exit(0);
    return node->value;
}

static void *worker(void *arg)
{
    push(arg ? 1 : 2);
    int value = pop();
    assert(value != -1);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, i ? &threads : 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    int value = pop();
    assert(value == -1);
    return 0;
}
