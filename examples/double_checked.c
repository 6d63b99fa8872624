// Double-checked initialisation with a plain flag: the first look at `ready` is not ordered with the write to it.
// expect: unsafe
// property: race
// expect[assert]: safe
// why: the flag should be atomic; interleavings alone do not show the harm, but compilers and processors may reorder
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready;
int value;

int get(void) {
    if (!ready) {
        pthread_mutex_lock(&lock);
        if (!ready) {
            value = 42;
            ready = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    return value;
}

void *reader(void *arg) {
    assert(get() == 42);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, reader, 0);
    pthread_create(&second, 0, reader, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
