// expect[race]: safe
// why: the same with an update that acquires what the store released
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready;
int message;

void *writer(void *arg) {
    message = 1;
    atomic_fetch_add_explicit(&ready, 1, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    if (atomic_fetch_add_explicit(&ready, 1, memory_order_acquire) == 1)
        message = 2;
    pthread_join(t, 0);
    return 0;
}
