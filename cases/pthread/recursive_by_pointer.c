// expect: safe
// why: The kind of a mutex is set by a function that is called through a pointer.
#include <pthread.h>

static int (*set_kind)(pthread_mutexattr_t *, int) = pthread_mutexattr_settype;

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t lock;
    pthread_mutexattr_init(&attributes);
    set_kind(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
