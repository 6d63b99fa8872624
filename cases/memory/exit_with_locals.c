// expect: safe
// why: the local is used by another thread only while its own waits; main ends by pthread_exit and nobody minds
#include <pthread.h>
void *square(void *arg) {
    int *number = arg;
    *number *= *number;
    return 0;
}
int main(void) {
    pthread_t t;
    int number = 3;
    pthread_create(&t, 0, square, &number);
    pthread_join(t, 0);
    if (number != 9)
        return 1;
    pthread_exit(0);
}
