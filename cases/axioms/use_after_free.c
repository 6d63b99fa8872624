// expect[rc11]: unsafe
// expect[imm]: unsafe
// property: memsafety,race
// engines: bmc
// A block is freed while another thread may still have its address.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *owner(void *unused)
{
    int *block = malloc(sizeof *block);
    atomic_store_explicit(&shared, block, memory_order_release);
    free(block);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, owner, 0);
    int *block = atomic_load_explicit(&shared, memory_order_acquire);
    if (block)
        *block = 1;
    pthread_join(t, 0);
    return 0;
}
