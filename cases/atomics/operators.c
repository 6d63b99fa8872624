// expect: safe
// why: x++ on an _Atomic is one step
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
_Atomic int x;
void *worker(void *arg) {
    x++;
    x += 2;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 6);
    return 0;
}
