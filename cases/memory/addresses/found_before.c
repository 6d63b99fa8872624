// expect: unsafe at 16
// property: basic
// why: a violation on the way to what depends on addresses stays one
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int turn;
void *worker(void *arg) {
    turn = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    assert(turn == 0);
    char *a = malloc(1), *b = malloc(1);
    assert(a < b);
    return 0;
}
