// expect[race]: safe
// why: an attempt that succeeds orders like a lock
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int message;

void *writer(void *arg) {
    if (pthread_mutex_trylock(&lock) == 0) {
        message++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    writer(0);
    pthread_join(t, 0);
    return 0;
}
