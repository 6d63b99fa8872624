// expect[race]: unsafe
// why: the exchange fails for all inputs but one, and only if it succeeds it races with the plain read
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int a = 5, seen;

void *reader(void *arg) {
    seen = a;
    return 0;
}

int main(void) {
    pthread_t t;
    int expected = __VERIFIER_nondet_int();
    pthread_create(&t, 0, reader, 0);
    __atomic_compare_exchange_n(&a, &expected, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    pthread_join(t, 0);
    return 0;
}
