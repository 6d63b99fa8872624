// expect: unsafe
// property: basic
// engines: bmc
// why: a thread that is started inside of a critical section writes without the lock what the section reads later
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *writer(void *arg) {
    x = 1;
    return 0;
}
void *reader(void *arg) {
    pthread_mutex_lock(&m);
    x = x + 0;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_join(a, 0);
    pthread_mutex_lock(&m);
    int before = x;
    pthread_create(&b, 0, writer, 0);
    int after = x;
    pthread_mutex_unlock(&m);
    pthread_join(b, 0);
    assert(before == after);
    return 0;
}
