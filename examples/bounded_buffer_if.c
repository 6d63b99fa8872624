// The buffer of bounded_buffer.c with `if` in place of `while`: a woken consumer takes what another one took already.
// expect: unsafe at 24
// property: assert
// why: between the signal and the wake-up another consumer can come first (and wake-ups can be spurious)
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
int count;

void *producer(void *arg) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
    return 0;
}

void *consumer(void *arg) {
    pthread_mutex_lock(&lock);
    if (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    assert(count > 0);
    count--;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, consumer, 0);
    pthread_create(&threads[1], 0, consumer, 0);
    pthread_create(&threads[2], 0, producer, 0);
    pthread_join(threads[2], 0);
    return 0;
}
