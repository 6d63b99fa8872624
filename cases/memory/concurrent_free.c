// expect: unsafe at 10
// property: basic
// why: the worker can be late
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *shared;
void *worker(void *arg) {
    *shared = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    shared = malloc(4);
    if (!shared)
        return 0;
    pthread_create(&t, 0, worker, 0);
    free(shared);
    pthread_join(t, 0);
    return 0;
}
