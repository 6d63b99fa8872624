// expect: unsafe
// property: assert
// why: a wait can end without a signal, and somebody else may have taken the item
#include <pthread.h>
#include <assert.h>
struct queue { pthread_mutex_t m; pthread_cond_t nonempty; int items[4]; int head, tail, count; };
static struct queue q = { .m = PTHREAD_MUTEX_INITIALIZER, .nonempty = PTHREAD_COND_INITIALIZER };
static int take(struct queue *q) {
    pthread_mutex_lock(&q->m);
    if (q->count == 0) pthread_cond_wait(&q->nonempty, &q->m);
    assert(q->count > 0);
    int v = q->items[q->head];
    q->head = (q->head + 1) % 4; q->count--;
    pthread_mutex_unlock(&q->m);
    return v;
}
static void put(struct queue *q, int v) {
    pthread_mutex_lock(&q->m);
    q->items[q->tail] = v; q->tail = (q->tail + 1) % 4; q->count++;
    pthread_cond_broadcast(&q->nonempty);
    pthread_mutex_unlock(&q->m);
}
static void *consumer(void *arg) { (void)arg; take(&q); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, consumer, 0);
    pthread_create(&b, 0, consumer, 0);
    put(&q, 1);
    put(&q, 2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
