// expect: safe
extern void abort(void);
void reach_error(void) {}
#include <pthread.h>

int x;
void __VERIFIER_atomic_add(int n) { x = x + n; }
void *worker(void *arg) { __VERIFIER_atomic_add(1); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (x != 2)
        reach_error();
    return 0;
}
