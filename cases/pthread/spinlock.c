// expect: safe
// expect[race]: safe
#include <assert.h>
#include <pthread.h>
pthread_spinlock_t s;
int x;
void *worker(void *arg) {
    pthread_spin_lock(&s);
    x++;
    pthread_spin_unlock(&s);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
