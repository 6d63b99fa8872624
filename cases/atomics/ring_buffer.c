// expect[race]: safe
// why: its two indices allow executions that no interleaving has; under the axioms of RC11 none of them has a race
#include <pthread.h>
#include <stdatomic.h>

atomic_uint head, tail;
int slots[2];

void *producer(void *arg) {
    for (int i = 0; i < 2; i++) {
        unsigned at = atomic_load_explicit(&tail, memory_order_acquire);
        if (at - atomic_load_explicit(&head, memory_order_acquire) < 2) {
            slots[at % 2] = i;
            atomic_store_explicit(&tail, at + 1, memory_order_release);
        }
    }
    return 0;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    pthread_create(&t, 0, producer, 0);
    for (int i = 0; i < 2; i++) {
        unsigned at = atomic_load_explicit(&head, memory_order_acquire);
        if (at != atomic_load_explicit(&tail, memory_order_acquire)) {
            sum += slots[at % 2];
            atomic_store_explicit(&head, at + 1, memory_order_release);
        }
    }
    pthread_join(t, 0);
    return 0;
}
