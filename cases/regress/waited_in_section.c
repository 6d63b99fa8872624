// expect[assert]: unsafe
// engines: explicit
// why: a section that has waited is open until its thread goes on; others may run before that, and were not let
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

void *waiter(void *arg) {
    __VERIFIER_atomic_begin();
    pthread_mutex_lock(&mutex);
    assert(x == 1);
    __VERIFIER_atomic_end();
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, waiter, 0);
    x = 1;
    pthread_mutex_unlock(&mutex);
    x = 2;
    pthread_join(thread, 0);
    return 0;
}
