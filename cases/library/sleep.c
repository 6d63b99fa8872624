// expect: unsafe at 15
// property: basic
// why: sleeping orders nothing
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

int ready;
void *worker(void *arg) { usleep(1); ready = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    sleep(10);
    int seen = ready;
    assert(seen);
    pthread_join(t, 0);
    return 0;
}
