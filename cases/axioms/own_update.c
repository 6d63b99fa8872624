// expect[sc.cat]: unsafe
// expect[aarch64]: unsafe
// expect[rc11]: unsafe
// expect[power]: unsafe
// property: reach,assert
// engines: bmc
// why: an update of memory that one thread alone uses, at an address that depends on what was read, beside another write of it
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int chosen, cells[2];
int found;

static void *updates(void *arg)
{
    (void)arg;
    atomic_store_explicit(&cells[0], 1, memory_order_relaxed);
    int which = atomic_load_explicit(&chosen, memory_order_relaxed);
    found = atomic_fetch_add_explicit(&cells[which & 1], 1, memory_order_relaxed);
    return 0;
}

static void *chooses(void *arg)
{
    (void)arg;
    atomic_store_explicit(&chosen, 1, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, updates, 0);
    pthread_create(&two, 0, chooses, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(found != 1);
    return 0;
}
