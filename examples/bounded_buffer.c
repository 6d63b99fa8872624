// One slot, one producer, two consumers, two condition variables: the textbook way, waiting in a `while`.
// expect: safe
// expect[race]: safe
// why: a thread that wakes up looks again before it goes on
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
int count, taken;

void put(void) {
    pthread_mutex_lock(&lock);
    while (count == 1)
        pthread_cond_wait(&not_full, &lock);
    count++;
    assert(count == 1);
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

void take(void) {
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    count--;
    taken++;
    assert(count == 0);
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
}

void *producer(void *arg) {
    put();
    put();
    return 0;
}

void *consumer(void *arg) {
    take();
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, producer, 0);
    pthread_create(&threads[1], 0, consumer, 0);
    pthread_create(&threads[2], 0, consumer, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(count == 0 && taken == 2);
    return 0;
}
