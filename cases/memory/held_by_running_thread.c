// expect[memsafety]: safe
// why: the process may end while the thread holds the block: a variable of a function that has not returned names it
#include <pthread.h>
#include <stdlib.h>

void *keep;

void *worker(void *arg) {
    void *block = malloc(8);
    keep = block;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    return 0;
}
