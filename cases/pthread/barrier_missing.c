// expect: unsafe at 15
// property: basic
// why: without a barrier the other half may not be written
#include <assert.h>
#include <pthread.h>

int left, right;
void *worker(void *arg) { left = 1; right = 1; return 0; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    int l = left;
    int r = right;
    pthread_join(a, 0);
    assert(l >= r);
    return 0;
}
