// expect: unsafe
// property: race
// A node on the heap, found by a relaxed pointer; who reads spins until the counter says that there is something, which orders nothing.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node {
    atomic_size_t front, back;
    int values[2];
};
static struct node *_Atomic current;
static void *writer(void *unused) {
    for (int i = 0; i < 2; i++) {
        struct node *node = atomic_load_explicit(&current, memory_order_relaxed);
        size_t back = atomic_load_explicit(&node->back, memory_order_relaxed);
        node->values[back] = i;
        atomic_store_explicit(&current, node, memory_order_relaxed);
        atomic_fetch_add_explicit(&node->back, 1, memory_order_relaxed);
    }
    return 0;
}
int main(void) {
    current = calloc(1, sizeof(struct node));
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    struct node *node = atomic_load_explicit(&current, memory_order_acquire);
    size_t front;
    while ((front = atomic_load_explicit(&node->front, memory_order_acquire)) == atomic_load(&node->back))
        ;
    int value = node->values[front];
    pthread_join(thread, 0);
    free(node);
    return value;
}
