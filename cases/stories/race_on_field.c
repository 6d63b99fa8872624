// expect: unsafe
// property: race
// why: a field of an allocated record is written under a lock and without one, in a function that both threads call
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct item { int key; int value; };
struct buffer { pthread_mutex_t lock; int len; struct item items[4]; };
static void put(struct buffer *b, int k) {
    b->items[b->len].key = k;
    b->len++;
}
static void *worker(void *arg) { struct buffer *b = arg; put(b, 7); return NULL; }
int main(void) {
    struct buffer *b = malloc(sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
    b->len = 0;
    pthread_t t;
    pthread_create(&t, NULL, worker, b);
    pthread_mutex_lock(&b->lock);
    put(b, 3);
    pthread_mutex_unlock(&b->lock);
    pthread_join(t, NULL);
    free(b);
    return 0;
}
