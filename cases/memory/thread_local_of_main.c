// expect: safe
// why: the first thread's own object lives as long as the first thread, which waits here
#include <assert.h>
#include <pthread.h>
_Thread_local int count = 3;
int *seen;
void *worker(void *arg) {
    count = 7;
    *seen += 1;
    return 0;
}
int main(void) {
    pthread_t t;
    seen = &count;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(count == 4);
    return 0;
}
