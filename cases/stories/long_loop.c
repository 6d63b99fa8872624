// expect: unsafe
// property: assert
// why: the sum of sixty rounds is not zero
#include <pthread.h>
#include <assert.h>
static int sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg) {
    (void)arg;
    for (int i = 0; i < 60; i++) {
        pthread_mutex_lock(&m);
        sum += i;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(sum == 0);
    return 0;
}
