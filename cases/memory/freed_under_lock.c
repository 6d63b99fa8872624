// expect: safe
// expect[race]: safe
// why: who uses the object and who frees it both hold the lock, and the pointer says whether it is there
#include <pthread.h>
#include <stdlib.h>
struct item {
    int value;
};
struct item *slot;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *taker(void *arg) {
    pthread_mutex_lock(&lock);
    free(slot);
    slot = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}
void *writer(void *arg) {
    pthread_mutex_lock(&lock);
    if (slot)
        slot->value = 3;
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void) {
    pthread_t a, b;
    slot = calloc(1, sizeof *slot);
    pthread_create(&a, 0, taker, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    free(slot);
    return 0;
}
