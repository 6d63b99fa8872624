// expect: unsafe at 16
// expect[race]: unsafe
// property: basic
// why: nobody writes the number while both threads run, but to free it is to write it
#include <pthread.h>
#include <stdlib.h>
int *number;
void *cleaner(void *arg) {
    free(number);
    return 0;
}
int main(void) {
    pthread_t t;
    number = calloc(1, sizeof *number);
    pthread_create(&t, 0, cleaner, 0);
    int seen = *number;
    pthread_join(t, 0);
    return seen;
}
