// expect: unsafe at 18
// expect[race]: safe
// why: an atomic load and an atomic store are two steps
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *worker(void *arg) {
    atomic_store(&x, atomic_load(&x) + 1);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
