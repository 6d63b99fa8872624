// expect: safe
// expect[race]: safe
// why: a failed exchange tells what to try next
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node { int value; struct node *next; };
static _Atomic(struct node *) top;
static struct node nodes[3];
static void push(struct node *n)
{
    struct node *old = atomic_load(&top);
    do {
        n->next = old;
    } while (!atomic_compare_exchange_weak(&top, &old, n));
}
static void *pusher(void *arg)
{
    push(arg);
    return 0;
}
int main(void)
{
    pthread_t s, t;
    nodes[0].value = 1; nodes[1].value = 2;
    pthread_create(&s, 0, pusher, &nodes[0]);
    pthread_create(&t, 0, pusher, &nodes[1]);
    pthread_join(s, 0);
    pthread_join(t, 0);
    int sum = 0;
    for (struct node *n = atomic_load(&top); n; n = n->next)
        sum += n->value;
    assert(sum == 3);
    return 0;
}
