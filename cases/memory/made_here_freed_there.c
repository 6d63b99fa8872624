// expect[assert]: safe
// expect[reach]: safe
// expect[deadlock]: safe
// why: a thread makes the block, another one frees it, and nobody asks about memory
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int *box;
void *maker(void *arg) {
    int *fresh = malloc(sizeof *fresh);
    *fresh = 1;
    box = fresh;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, maker, 0);
    pthread_join(t, 0);
    assert(*box == 1);
    free(box);
    return 0;
}
