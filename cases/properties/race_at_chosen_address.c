// expect: unsafe
// property: race
// Which cell is written is an input, chosen right before the access that races.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int x, y;
static void *write_one(void *unused) {
    int *cell = __VERIFIER_nondet_int() ? &x : &y;
    *cell = 1;
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write_one, 0);
    x = 2;
    pthread_join(thread, 0);
    return 0;
}
