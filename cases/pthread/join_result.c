// expect: safe
// why: the handle is in an array with a computed index
#include <assert.h>
#include <pthread.h>

void *square(void *arg) { long n = (long)arg; return (void *)(n * n); }
int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, square, (void *)i);
    long sum = 0;
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    assert(sum == 5);
    return 0;
}
