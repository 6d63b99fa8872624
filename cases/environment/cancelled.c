// expect: safe
// why: a thread that is cancelled ends at a call that can notice it, and its result says so
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int n;

static void *work(void *arg) {
    for (int i = 0; i < 2; i++) {
        n = i;
        sleep(1);
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == 0 || result == PTHREAD_CANCELED);
    assert(result == PTHREAD_CANCELED || n == 1);
    return 0;
}
