// expect: unsafe
// property: assert
// why: there are more tokens than places, so that one is written before it is read
#include <pthread.h>
#include <semaphore.h>
#include <assert.h>
static sem_t items, room;
static int ring[2], in, out;
static void *producer(void *arg) {
    (void)arg;
    for (int i = 1; i <= 3; i++) { sem_wait(&room); ring[in] = i; in = (in + 1) % 2; sem_post(&items); }
    return 0;
}
int main(void) {
    sem_init(&items, 0, 0);
    sem_init(&room, 0, 3);
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    for (int i = 1; i <= 3; i++) {
        sem_wait(&items);
        int v = ring[out]; out = (out + 1) % 2;
        assert(v == i);
        sem_post(&room);
    }
    pthread_join(t, 0);
    return 0;
}
