// expect: unsafe at 21
// why: where the thread ends, the object of alloca is there only if it was made
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int *left;
void *worker(void *arg) {
    if (__VERIFIER_nondet_int()) {
        left = __builtin_alloca(sizeof *left);
        *left = 1;
    }
    pthread_exit(0);
}
int main(void) {
    pthread_t t;
    int fallback = 0;
    left = &fallback;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    if (left != &fallback)
        *left = 2;
    return 0;
}
