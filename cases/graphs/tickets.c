// expect[sc]: safe
// expect[tso.cat]: safe
// expect[rc11]: safe
// expect[imm]: safe
// expect[aarch64]: safe
// expect[power]: safe
// expect[riscv]: safe
// property: reach,assert
// engines: graphs
// why: four threads take tickets; each order of them is one execution, however long anybody waits
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4

atomic_int next, serving;
int count;

static void *worker(void *arg)
{
    int own = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != own)
        ;
    count++;
    atomic_store_explicit(&serving, own + 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(count == THREADS);
    return 0;
}
