// expect: unsafe
// property: misuse
// engines: explicit bmc
// why: who waits with a recursive mutex locked twice does not give it back
#include <pthread.h>

pthread_mutex_t lock;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int is_ready;

void *setter(void *arg) {
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_mutexattr_t kind;
    pthread_t thread;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &kind);
    pthread_create(&thread, 0, setter, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
