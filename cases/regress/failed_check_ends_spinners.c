// expect[termination]: safe
// engines: explicit
// why: the assertion fails, which nobody asks about, and ends the process with its spinning thread; the spinner was taken to spin for ever
#include <assert.h>
#include <pthread.h>

volatile int stop;

void *spinner(void *arg) {
    while (!stop) {
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, spinner, 0);
    assert(stop);
    stop = 1;
    pthread_join(thread, 0);
    return 0;
}
