// A bounded buffer of four slots between two producers and two consumers, with semaphores, for ever.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define SIZE 4

unsigned char slot[SIZE], head, tail;
sem_t items, space;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *producer(void *arg) {
    unsigned char what = (unsigned char)(unsigned long)arg;
    while (1) {
        sem_wait(&space);
        pthread_mutex_lock(&m);
        slot[head] = what;
        head = (head + 1) % SIZE;
        pthread_mutex_unlock(&m);
        sem_post(&items);
    }
}

void *consumer(void *arg) {
    while (1) {
        sem_wait(&items);
        pthread_mutex_lock(&m);
        unsigned char got = slot[tail];
        tail = (tail + 1) % SIZE;
        pthread_mutex_unlock(&m);
        assert(got == 1 || got == 2);
        sem_post(&space);
    }
}

int main(void) {
    pthread_t t;
    sem_init(&items, 0, 0);
    sem_init(&space, 0, SIZE);
    for (unsigned long i = 0; i < 2; i++) pthread_create(&t, 0, producer, (void *)(i + 1));
    for (unsigned long i = 0; i < 2; i++) pthread_create(&t, 0, consumer, 0);
    pthread_exit(0);
}
