// expect[race]: unsafe
// why: a lock is initialised while another thread may be using it
#include <pthread.h>

pthread_mutex_t lock;

void *user(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, user, 0);
    pthread_mutex_init(&lock, 0);
    pthread_join(t, 0);
    return 0;
}
