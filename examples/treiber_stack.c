// A lock-free stack whose nodes are used again: the ABA problem. Between reading `top` and the compare-and-swap another thread
// pops two nodes and pushes the first one back; the swap succeeds and revives a node that is in use.
// expect: unsafe at 36
// property: assert
// why: compare-and-swap sees that the value is the same, not that nothing happened
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NONE (-1)
int next[2] = {1, NONE};
atomic_int top = 0;
atomic_int owner[2];

int pop(void) {
    for (;;) {
        int old = atomic_load(&top);
        if (old == NONE)
            return NONE;
        int below = next[old];
        if (atomic_compare_exchange_strong(&top, &old, below))
            return old;
    }
}

void push(int node) {
    int old = atomic_load(&top);
    do {
        next[node] = old;
    } while (!atomic_compare_exchange_strong(&top, &old, node));
}

void use(int node) {
    if (node != NONE) {
        int users = atomic_fetch_add(&owner[node], 1);
        assert(users == 0);
    }
}

void *slow(void *arg) {
    use(pop());
    use(pop());
    return 0;
}

void *quick(void *arg) {
    int first = pop();
    int second = pop();
    use(second);
    if (first != NONE)
        push(first);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, slow, 0);
    pthread_create(&b, 0, quick, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
