// expect[misuse]: unsafe
// why: Who joins through a pointer joins all the same: the second time there is no such thread.
#include <pthread.h>

static int (*wait_for)(pthread_t, void **) = pthread_join;

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    wait_for(thread, 0);
    wait_for(thread, 0);
    return 0;
}
