// expect[memsafety]: unsafe
// why: the thread has returned, and nobody names its block any more
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg) {
    char *block = malloc(8);
    *block = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
