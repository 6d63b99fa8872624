// expect: unsafe at 49
// property: basic
// why: one more than there are slots is taken
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define SIZE 2
#define N 3
static int slots[SIZE];
static atomic_uint head, tail;

static bool push(int value)
{
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
    if (t - atomic_load_explicit(&head, memory_order_acquire) == SIZE + 1)
        return false;
    slots[t % SIZE] = value;
    atomic_store_explicit(&tail, t + 1, memory_order_release);
    return true;
}

static bool pop(int *value)
{
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
    if (h == atomic_load_explicit(&tail, memory_order_acquire))
        return false;
    *value = slots[h % SIZE];
    atomic_store_explicit(&head, h + 1, memory_order_release);
    return true;
}

static void *producer(void *unused)
{
    for (int i = 1; i <= N; i++)
        while (!push(i)) { }
    return 0;
}

int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, producer, 0);
    for (int i = 1; i <= N; i++) {
        int value = 0;
        while (!pop(&value)) { }
        assert(value == i);
    }
    pthread_join(p, 0);
    return 0;
}
