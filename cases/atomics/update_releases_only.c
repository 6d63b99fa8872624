// expect[race]: unsafe
// why: an exchange that only releases learns that the message is there, but acquires nothing
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
    pthread_create(&t, 0, writer, 0);
    if (atomic_exchange_explicit(&ready, 2, memory_order_release) == 1)
        message = 2;
    pthread_join(t, 0);
    return 0;
}
