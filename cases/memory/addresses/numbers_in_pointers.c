// expect: safe
// why: numbers that are passed as pointers come back, even where other threads get real ones
#include <assert.h>
#include <pthread.h>

int shared[2];
void *by_number(void *arg) {
    long number = (long)arg;
    assert(number >= 1 && number < 3);
    int narrow = (int)(long)arg;
    assert(narrow * 10 % 3 == narrow % 3);
    return (void *)(number << 4);
}
void *by_pointer(void *arg) {
    *(int *)arg = 1;
    return arg;
}
int main(void) {
    pthread_t a, b;
    void *x, *y;
    pthread_create(&a, 0, by_number, (void *)2L);
    pthread_create(&b, 0, by_pointer, &shared[1]);
    pthread_join(a, &x);
    pthread_join(b, &y);
    assert((long)x == 32);
    assert(y == &shared[1]);
    return 0;
}
