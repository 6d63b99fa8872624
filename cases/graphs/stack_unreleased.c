// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[aarch64]: unsafe
// expect[power]: unsafe
// expect[riscv]: unsafe
// property: reach,assert
// engines: graphs
// why: a Treiber stack whose nodes are not released: who pops one may not see its value
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
    struct node *node = malloc(sizeof *node);
    node->value = value;
    for (;;) {
        struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
        atomic_store_explicit(&node->next, old, memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&top, &old, node, memory_order_relaxed, memory_order_relaxed))
            return;
    }
}

static int pop(void)
{
    for (;;) {
        struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
        if (!old)
            return 0;
        struct node *next = atomic_load_explicit(&old->next, memory_order_acquire);
        if (atomic_compare_exchange_strong_explicit(&top, &old, next, memory_order_relaxed, memory_order_relaxed))
            return old->value;
    }
}

static void *worker(void *arg)
{
    push(1);
    assert(pop() == 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(pop() == 0);
    return 0;
}
