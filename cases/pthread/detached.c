// expect: safe
// why: main ends the process, whatever the detached thread does
#include <assert.h>
#include <pthread.h>

void *worker(void *arg) { for (;;) { } return 0; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_detach(a);
    return 0;
}
