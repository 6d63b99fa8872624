// expect: unsafe at 20
// property: basic
// why: a read lock does not exclude other readers
#include <assert.h>
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;
void *worker(void *arg) {
    pthread_rwlock_rdlock(&l);
    x = x + 1;
    pthread_rwlock_unlock(&l);
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
