// expect: unsafe
// property: assert
// why: a compare-exchange fails if another thread was first
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_int top;
static atomic_int tries;
static void *push(void *arg) {
    (void)arg;
    int old = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &old, old + 1))
        atomic_fetch_add(&tries, 1);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, push, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(top == 2);
    assert(tries == 0);
    return 0;
}
