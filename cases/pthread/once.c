// expect: safe
// expect[race]: safe
#include <assert.h>
#include <pthread.h>
pthread_once_t once = PTHREAD_ONCE_INIT;
int n;
void setup(void) { n++; }
void *worker(void *arg) {
    pthread_once(&once, setup);
    assert(n == 1);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n == 1);
    return 0;
}
