// expect: safe
// expect[race]: safe
// why: the handle is stored before the new thread runs
#include <assert.h>
#include <pthread.h>
pthread_t handle;
void *worker(void *arg) {
    assert(pthread_equal(handle, pthread_self()));
    return 0;
}
int main(void) {
    pthread_create(&handle, 0, worker, 0);
    pthread_join(handle, 0);
    return 0;
}
