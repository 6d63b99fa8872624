// expect: safe
// property: assert,deadlock
// Either of two threads is started and joined, on two ways; nobody waits for the one that is not there.
#include <assert.h>
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
int x;
static void *first(void *unused) { x = 1; return (void *)1; }
static void *second(void *unused) { x = 2; return (void *)2; }
int main(void) {
    pthread_t thread;
    void *result;
    if (__VERIFIER_nondet_bool())
        pthread_create(&thread, 0, first, 0);
    else
        pthread_create(&thread, 0, second, 0);
    pthread_join(thread, &result);
    assert(x == (long)result);
    return 0;
}
