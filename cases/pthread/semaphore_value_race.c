// expect[race]: unsafe
// why: looking at the value of a semaphore orders nothing
#include <pthread.h>
#include <semaphore.h>

sem_t posted;
int message;

void *writer(void *arg) {
    message = 1;
    sem_post(&posted);
    return 0;
}

int main(void) {
    pthread_t t;
    int value;
    sem_init(&posted, 0, 0);
    pthread_create(&t, 0, writer, 0);
    sem_getvalue(&posted, &value);
    if (value > 0)
        message = 2;
    pthread_join(t, 0);
    return 0;
}
