// expect[race]: safe
// why: sequentially consistent flags cannot both be missed
#include <pthread.h>
#include <stdatomic.h>

atomic_int left, right;
int shared;

void *other(void *arg) {
    atomic_store_explicit(&right, 1, memory_order_seq_cst);
    if (!atomic_load_explicit(&left, memory_order_seq_cst))
        shared = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    atomic_store_explicit(&left, 1, memory_order_seq_cst);
    if (!atomic_load_explicit(&right, memory_order_seq_cst))
        shared = 2;
    pthread_join(t, 0);
    return 0;
}
