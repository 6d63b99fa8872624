// A check and an addition that belong together: each thread sees room for one more, both add, and the sum overflows.
// expect: unsafe at 20
// property: overflow
// why: the test and the addition are not one step
#include <limits.h>
#include <pthread.h>

int level = INT_MAX - 1;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int has_room(void) {
    pthread_mutex_lock(&lock);
    int room = level < INT_MAX;
    pthread_mutex_unlock(&lock);
    return room;
}

void raise_level(void) {
    pthread_mutex_lock(&lock);
    level = level + 1;
    pthread_mutex_unlock(&lock);
}

void *worker(void *arg) {
    if (has_room())
        raise_level();
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
