// expect[race]: unsafe
// why: an attempt that fails tells that another thread was there, but orders nothing
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int message;

void *writer(void *arg) {
    message = 1;
    pthread_mutex_lock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    if (pthread_mutex_trylock(&lock) != 0)
        message = 2;
    pthread_join(t, 0);
    return 0;
}
