// expect: unsafe at 15
// why: a thread-local object ends with its thread
#include <pthread.h>
_Thread_local int count = 3;
int *seen;
void *worker(void *arg) {
    seen = &count;
    *seen += 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    *seen = 0;
    return 0;
}
