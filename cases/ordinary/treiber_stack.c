// expect: safe
// why: a lock-free stack whose nodes stay allocated until all threads have ended, so that a popped node cannot come back
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define PUSHERS 2
#define PER_THREAD 2

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(struct node *n, int value)
{
    n->value = value;
    n->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release, memory_order_relaxed))
        ;
}

static struct node *pop(void)
{
    struct node *n = atomic_load_explicit(&top, memory_order_acquire);
    while (n != NULL &&
           !atomic_compare_exchange_weak_explicit(&top, &n, n->next, memory_order_acquire, memory_order_acquire))
        ;
    return n;
}

static void *pusher(void *arg)
{
    struct node *nodes = arg;
    for (int i = 0; i < PER_THREAD; i++)
        push(&nodes[i], i + 1);
    return NULL;
}

static void *popper(void *arg)
{
    int *sum = arg;
    for (int i = 0; i < PER_THREAD; i++) {
        struct node *n = pop();
        if (n != NULL)
            *sum += n->value;
    }
    return NULL;
}

int main(void)
{
    struct node *nodes[PUSHERS];
    pthread_t t[PUSHERS], p;
    int popped = 0, rest = 0;

    for (int i = 0; i < PUSHERS; i++) {
        nodes[i] = calloc(PER_THREAD, sizeof *nodes[i]);
        if (nodes[i] == NULL || pthread_create(&t[i], NULL, pusher, nodes[i]) != 0)
            abort();
    }
    if (pthread_create(&p, NULL, popper, &popped) != 0)
        abort();
    for (int i = 0; i < PUSHERS; i++)
        pthread_join(t[i], NULL);
    pthread_join(p, NULL);
    for (struct node *n = pop(); n != NULL; n = pop())
        rest += n->value;
    assert(popped + rest == PUSHERS * (1 + 2));
    for (int i = 0; i < PUSHERS; i++)
        free(nodes[i]);
    return 0;
}
