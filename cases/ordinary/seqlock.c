// expect: safe
// why: a sequence lock whose data are relaxed atomics between fences, as C11 needs it; a reader never keeps a torn pair
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct position {
    int x, y;
};

static atomic_uint sequence;
static atomic_int pos_x, pos_y;

static void position_write(struct position p)
{
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&pos_x, p.x, memory_order_relaxed);
    atomic_store_explicit(&pos_y, p.y, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
}

static struct position position_read(void)
{
    struct position p;
    unsigned before, after;

    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        p.x = atomic_load_explicit(&pos_x, memory_order_relaxed);
        p.y = atomic_load_explicit(&pos_y, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before != after || before % 2 != 0);
    return p;
}

static void *writer(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 2; i++)
        position_write((struct position){ i, -i });
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    struct position p = position_read();
    assert(p.x + p.y == 0);
    return NULL;
}

int main(void)
{
    pthread_t w, r[2];

    if (pthread_create(&w, NULL, writer, NULL) != 0)
        abort();
    for (int i = 0; i < 2; i++)
        if (pthread_create(&r[i], NULL, reader, NULL) != 0)
            abort();
    pthread_join(w, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(r[i], NULL);
    return 0;
}
