// expect: unsafe
// why: (race) the producer publishes its index with a relaxed store, so nothing orders its write of the slot before the consumer's read
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sched.h>

#define SLOTS 8
#define LINES 4

struct ring {
    char slots[SLOTS][16];
    _Atomic size_t head;
    _Atomic size_t tail;
};

static struct ring ring;

static bool push(struct ring *r, const char *text)
{
    size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (tail - atomic_load_explicit(&r->head, memory_order_acquire) == SLOTS)
        return false;
    strncpy(r->slots[tail % SLOTS], text, sizeof r->slots[0] - 1);
    atomic_store_explicit(&r->tail, tail + 1, memory_order_relaxed);
    return true;
}

static bool pop(struct ring *r, char *out, size_t size)
{
    size_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head == atomic_load_explicit(&r->tail, memory_order_acquire))
        return false;
    strncpy(out, r->slots[head % SLOTS], size - 1);
    out[size - 1] = '\0';
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return true;
}

static void *writer(void *arg)
{
    static const char *const texts[LINES] = { "start", "connect", "request", "stop" };
    struct ring *r = arg;
    for (int i = 0; i < LINES; i++)
        while (!push(r, texts[i]))
            sched_yield();
    return NULL;
}

int main(void)
{
    pthread_t t;
    char line[16];

    if (pthread_create(&t, NULL, writer, &ring) != 0)
        return 1;
    for (int got = 0; got < LINES;) {
        if (pop(&ring, line, sizeof line)) {
            puts(line);
            got++;
        } else {
            sched_yield();
        }
    }
    pthread_join(t, NULL);
    return 0;
}
