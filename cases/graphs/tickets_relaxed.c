// expect[pso.cat]: unsafe
// expect[rc11]: unsafe
// expect[imm]: unsafe
// expect[aarch64]: unsafe
// expect[power]: unsafe
// expect[riscv]: unsafe
// property: reach,assert
// engines: graphs
// why: with relaxed accesses the next one may not see the count of the last
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4

atomic_int next, serving;
int count;

static void *worker(void *arg)
{
    int own = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_relaxed) != own)
        ;
    count++;
    atomic_store_explicit(&serving, own + 1, memory_order_relaxed);
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
