// expect[sc]: safe
// expect[rc11]: safe
// property: reach,assert
// engines: graphs
// why: a Treiber stack whose nodes are published by release and taken by acquire
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        abort();
    node->value = value;
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    do
        node->next = old;
    while (!atomic_compare_exchange_strong_explicit(&top, &old, node, memory_order_release, memory_order_relaxed));
}

static void *pusher(void *arg)
{
    push(1);
    return arg;
}

static void *popper(void *arg)
{
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    while (old && !atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_acquire, memory_order_acquire))
        ;
    if (old)
        assert(old->value == 1);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, pusher, 0);
    pthread_create(&b, 0, pusher, 0);
    pthread_create(&c, 0, popper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
