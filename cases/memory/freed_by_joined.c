// expect: unsafe at 15
// why: the joined thread has freed the block already
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
    pthread_join(t, 0);
    free(block);
    return 0;
}
