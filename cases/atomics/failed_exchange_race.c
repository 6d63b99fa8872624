// expect[race]: unsafe
// why: a compare-exchange that fails reads with its second order, which is relaxed here
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready;
int message;

void *writer(void *arg) {
    message = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t t;
    int expected = 0;
    pthread_create(&t, 0, writer, 0);
    if (!atomic_compare_exchange_strong_explicit(&ready, &expected, 2, memory_order_acquire, memory_order_relaxed))
        message = 2;
    pthread_join(t, 0);
    return 0;
}
