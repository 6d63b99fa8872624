// expect: unsafe
// why: (use after free) pop reads n->next of a node that another thread may have popped and freed meanwhile (and then ABA)
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static _Atomic(struct node *) top;

static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        abort();
    n->value = value;
    atomic_init(&n->next, NULL);
    struct node *old = atomic_load(&top);
    do {
        atomic_store(&n->next, old);
    } while (!atomic_compare_exchange_weak(&top, &old, n));
}

static int pop(int *value)
{
    struct node *n = atomic_load(&top);
    while (n != NULL) {
        struct node *next = atomic_load(&n->next);
        if (atomic_compare_exchange_weak(&top, &n, next)) {
            *value = n->value;
            free(n);
            return 1;
        }
    }
    return 0;
}

static void *worker(void *arg)
{
    int v, sum = 0;
    (void)arg;
    while (pop(&v))
        sum += v;
    printf("took %d\n", sum);
    return NULL;
}

int main(void)
{
    pthread_t t[2];

    for (int i = 1; i <= 4; i++)
        push(i);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, worker, NULL) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
