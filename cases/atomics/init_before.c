// expect[race]: safe
// why: atomic_init before the thread starts, and a relaxed store beside it, are no races
#include <pthread.h>
#include <stdatomic.h>

_Atomic int x;

void *reader(void *arg) {
    atomic_load(&x);
    return 0;
}

int main(void) {
    pthread_t thread;
    atomic_init(&x, 1);
    pthread_create(&thread, 0, reader, 0);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    pthread_join(thread, 0);
    return 0;
}
