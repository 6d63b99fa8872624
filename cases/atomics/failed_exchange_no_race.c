// expect[race]: safe
// why: an exchange that fails is an atomic read, and two reads do not race, atomic or not
#include <pthread.h>

int a = 5, seen, expected = 4;

void *reader(void *arg) {
    seen = a;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    __atomic_compare_exchange_n(&a, &expected, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    pthread_join(t, 0);
    return 0;
}
