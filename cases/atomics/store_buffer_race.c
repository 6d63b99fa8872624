// expect[race]: unsafe
// why: release and acquire let both threads miss the other's flag, which no interleaving shows
#include <pthread.h>
#include <stdatomic.h>

atomic_int left, right;
int shared;

void *other(void *arg) {
    atomic_store_explicit(&right, 1, memory_order_release);
    if (!atomic_load_explicit(&left, memory_order_acquire))
        shared = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    atomic_store_explicit(&left, 1, memory_order_release);
    if (!atomic_load_explicit(&right, memory_order_acquire))
        shared = 2;
    pthread_join(t, 0);
    return 0;
}
