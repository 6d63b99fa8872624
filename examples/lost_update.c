// Two threads add one to a counter without a lock. `counter++` is a read and a write: both can read 0, and one update is lost.
// expect: unsafe
// expect[basic]: unsafe at 21
// why: x++ is not one step
#include <assert.h>
#include <pthread.h>

int counter;

void *worker(void *arg) {
    counter++;
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(counter == 2);
    return 0;
}
