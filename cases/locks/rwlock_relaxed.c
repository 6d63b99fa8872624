// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[aarch64]: unsafe
// expect[power]: unsafe
// property: reach,assert
// engines: bmc
// why: a writer gives it back by a relaxed addition: readers may see half of what it did
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ALL = 8 };

atomic_int free_places = ALL;
int one, other;

static void take(int places)
{
    int found;
    do {
        found = atomic_load_explicit(&free_places, memory_order_relaxed);
    } while (found < places
             || !atomic_compare_exchange_weak_explicit(&free_places, &found, found - places, memory_order_acquire,
                                                       memory_order_relaxed));
}

static void *reader(void *arg)
{
    take(1);
    assert(one == other);
    atomic_fetch_add_explicit(&free_places, 1, memory_order_release);
    return 0;
}

static void *writer(void *arg)
{
    take(ALL);
    one++;
    other++;
    atomic_fetch_add_explicit(&free_places, ALL, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, writer, 0);
    pthread_create(&threads[2], 0, reader, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(one == other);
    return 0;
}
