// expect: safe
// expect[race]: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_flag flag = ATOMIC_FLAG_INIT;
int x;
void *worker(void *arg) {
    while (atomic_flag_test_and_set(&flag)) {
    }
    x++;
    atomic_flag_clear(&flag);
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
