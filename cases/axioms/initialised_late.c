// expect[c11]: safe
// expect[rc11]: safe
// expect[imm]: safe
// property: assert,race
// engines: bmc
// An atomic object gets its value by `atomic_init`, which is no atomic access, before another thread is told: what was there before is not read any more.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, is_told;

static void *reader(void *unused)
{
    if (atomic_load_explicit(&is_told, memory_order_acquire))
        assert(atomic_load_explicit(&flag, memory_order_relaxed) == 1);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    atomic_init(&flag, 1);
    atomic_store_explicit(&is_told, 1, memory_order_release);
    pthread_join(t, 0);
    return 0;
}
