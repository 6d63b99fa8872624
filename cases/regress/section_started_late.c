// expect: safe
// property: basic
// property: assert
// engines: bmc
// why: a thread that is started inside of an atomic section runs only after it
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;

void *worker(void *arg) {
    assert(x == 2);
    return 0;
}

int main(void) {
    pthread_t thread;
    __VERIFIER_atomic_begin();
    x = 1;
    pthread_create(&thread, 0, worker, 0);
    x = 2;
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
    return 0;
}
