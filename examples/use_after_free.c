// A reference count that is decremented in two steps: both threads can believe that they are the last, or use what is gone.
// expect: unsafe
// property: memsafety
// why: between the test of the count and the use of the object the other thread can free it
#include <pthread.h>
#include <stdlib.h>

struct shared {
    int users;
    int data;
};

struct shared *object;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    struct shared *mine = object;
    mine->data++;
    pthread_mutex_lock(&lock);
    mine->users--;
    pthread_mutex_unlock(&lock);
    if (mine->users == 0)
        free(mine);
    return 0;
}

int main(void) {
    pthread_t first, second;
    object = malloc(sizeof *object);
    object->users = 2;
    object->data = 0;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
