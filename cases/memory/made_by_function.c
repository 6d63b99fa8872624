// expect: safe
// expect[memsafety]: safe
// expect[race]: safe
// Two queues are made by functions that wrap malloc: numbers in one object and pointers in another come from the same call of malloc.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct queue {
    int *items;
    int n;
};

static struct queue *odd, *even;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *make(size_t size) {
    void *object = malloc(size);
    if (!object) abort();
    return object;
}

static struct queue *make_queue(int room) {
    struct queue *queue = make(sizeof *queue);
    queue->items = make(room * sizeof(int));
    queue->n = 0;
    return queue;
}

static void put(struct queue *queue, int item) {
    pthread_mutex_lock(&lock);
    queue->items[queue->n++] = item;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg) {
    put(odd, 1);
    put(even, 2);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    odd = make_queue(2);
    even = make_queue(2);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(odd->n == 2 && even->n == 2);
    assert(odd->items[1] == 1 && even->items[0] == 2);
    free(odd->items);
    free(odd);
    free(even->items);
    free(even);
    return 0;
}
