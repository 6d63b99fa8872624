// expect[deadlock]: safe
// why: a thread that is slow to leave a barrier may find that others have met there many times since
#include <pthread.h>
#include <semaphore.h>

pthread_barrier_t meeting;
sem_t first_is_over;

void *slow(void *arg) {
    pthread_barrier_wait(&meeting);
    return 0;
}

void *again_and_again(void *arg) {
    if (arg) {
        pthread_barrier_wait(&meeting);
        sem_post(&first_is_over);
    } else {
        sem_wait(&first_is_over);
    }
    for (int round = 0; round < 5; round++)
        pthread_barrier_wait(&meeting);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&meeting, 0, 2);
    sem_init(&first_is_over, 0, 0);
    pthread_create(&threads[0], 0, slow, 0);
    pthread_create(&threads[1], 0, again_and_again, &meeting);
    pthread_create(&threads[2], 0, again_and_again, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
