// expect: safe
// property: basic
// property: reach,assert
// engines: cegar
// why: any number of threads add to a counter under a lock; whoever has added sees a counter that is larger than before, which needs facts about all who are at one place
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

volatile unsigned counter;
volatile int lock;

void acquire(void) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(lock == 0);
    lock = 1;
    __VERIFIER_atomic_end();
}

void *adder(void *arg) {
    (void)arg;
    acquire();
    if (counter == 0u - 1) {
        lock = 0;
        return 0;
    }
    unsigned seen = counter;
    counter = seen + 1;
    lock = 0;
    assert(counter > seen);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, adder, 0);
}
