// expect: safe
// property: basic
// engines: bmc
// why: whatever the order, thirty threads that each read and write once count to thirty at most
#include <assert.h>
#include <pthread.h>
#define N 30
volatile int x;
void *look(void *arg) {
    assert(x <= N);
    return 0;
}
void *count(void *arg) {
    int seen = x;
    x = seen + 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, look, 0);
    for (int i = 0; i < N; i++) {
        pthread_create(&b, 0, count, 0);
    }
    return 0;
}
