// expect[deadlock]: unsafe
// why: the second thread waits for ever for a lock whose owner has ended, whatever main does meanwhile
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    pthread_mutex_lock(&a);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    for (;;)
        ;
}
