// expect[rc11]: unsafe
// expect[sc.cat]: unsafe
// expect[imm]: unsafe
// property: reach,assert
// engines: bmc
// A loop that only reads, and remembers what it has read the time before: no round can be done without.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stage;

static void *watcher(void *unused)
{
    int before = 0, now = 0;
    while (now != 3) {
        before = now;
        now = atomic_load_explicit(&stage, memory_order_relaxed);
    }
    assert(before != 2);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, watcher, 0);
    for (int i = 1; i <= 3; i++)
        atomic_store_explicit(&stage, i, memory_order_relaxed);
    pthread_join(t, 0);
    return 0;
}
