// expect[rc11]: safe
// expect[sc.cat]: safe
// property: reach,assert
// engines: bmc
// A loop that remembers what it has read last: whatever it has read before makes no difference, however often it goes round.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stage;

static void *watcher(void *unused)
{
    int now = atomic_load_explicit(&stage, memory_order_relaxed);
    while (now < 12)
        now = atomic_load_explicit(&stage, memory_order_relaxed);
    assert(now <= 15);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, watcher, 0);
    for (int i = 1; i <= 15; i++)
        atomic_store_explicit(&stage, i, memory_order_relaxed);
    pthread_join(t, 0);
    return 0;
}
