// expect: safe
// expect[race]: safe
#include <assert.h>
#include <pthread.h>
int x, y, z;
void *worker(void *arg) {
    __sync_fetch_and_add(&x, 1);
    __atomic_add_fetch(&y, 2, __ATOMIC_SEQ_CST);
    int zero = 0;
    __atomic_compare_exchange_n(&z, &zero, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2 && y == 4 && z == 1);
    assert(__sync_bool_compare_and_swap(&x, 2, 5) && x == 5);
    assert(__sync_val_compare_and_swap(&x, 4, 6) == 5 && x == 5);
    return 0;
}
