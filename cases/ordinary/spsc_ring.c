// expect: safe
// why: one producer, one consumer; the indices are published with release and read with acquire
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sched.h>

#define RING_SIZE 4
#define MESSAGES 6

struct message {
    int id;
    int payload;
};

struct ring {
    struct message slots[RING_SIZE];
    atomic_uint head; /* next to read */
    atomic_uint tail; /* next to write */
};

static struct ring ring;

static bool ring_push(struct ring *r, struct message m)
{
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    unsigned head = atomic_load_explicit(&r->head, memory_order_acquire);
    if (tail - head == RING_SIZE)
        return false;
    r->slots[tail % RING_SIZE] = m;
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
    return true;
}

static bool ring_pop(struct ring *r, struct message *m)
{
    unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_acquire);
    if (head == tail)
        return false;
    *m = r->slots[head % RING_SIZE];
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return true;
}

static void *producer(void *arg)
{
    struct ring *r = arg;
    for (int i = 0; i < MESSAGES; i++) {
        struct message m = { .id = i, .payload = 10 * i };
        while (!ring_push(r, m))
            sched_yield();
    }
    return NULL;
}

static void *consumer(void *arg)
{
    struct ring *r = arg;
    struct message m;
    for (int expected = 0; expected < MESSAGES; expected++) {
        while (!ring_pop(r, &m))
            sched_yield();
        assert(m.id == expected);
        assert(m.payload == 10 * expected);
    }
    return NULL;
}

int main(void)
{
    pthread_t p, c;

    if (pthread_create(&p, NULL, producer, &ring) != 0)
        return 1;
    if (pthread_create(&c, NULL, consumer, &ring) != 0)
        return 1;
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
