// expect[race]: unsafe
// expect: safe
// property: basic
// why: atomic_init is no atomic access, so whoever loads beside it races with it
#include <pthread.h>
#include <stdatomic.h>

_Atomic int x;

void *reader(void *arg) {
    atomic_load(&x);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    atomic_init(&x, 1);
    pthread_join(thread, 0);
    return 0;
}
