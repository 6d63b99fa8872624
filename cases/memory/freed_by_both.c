// expect: unsafe
// expect[race]: unsafe
// property: basic
// why: nobody ever looks into the block, but it is freed twice
#include <pthread.h>
#include <stdlib.h>
void *block;
void *helper(void *arg) {
    free(block);
    return 0;
}
int main(void) {
    pthread_t t;
    block = malloc(16);
    pthread_create(&t, 0, helper, 0);
    free(block);
    pthread_join(t, 0);
    return 0;
}
