// expect[assert]: unsafe at 22
// why: a lock that is taken when the wait begins may be free before time runs out, and then it is taken
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int is_taken;

void *holder(void *arg) {
    pthread_mutex_lock(&lock);
    is_taken = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    struct timespec later = {5, 0};
    pthread_t t;
    pthread_create(&t, 0, holder, 0);
    if (pthread_mutex_timedlock(&lock, &later) == 0) {
        assert(!is_taken);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(t, 0);
    return 0;
}
