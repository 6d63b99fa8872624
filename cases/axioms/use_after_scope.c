// expect[rc11]: unsafe
// expect[imm]: unsafe
// property: default
// engines: bmc
// A local variable is used by another thread when its function may have returned.
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) shared;

static void *owner(void *unused)
{
    int local = 0;
    atomic_store(&shared, &local);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, owner, 0);
    int *it = atomic_load(&shared);
    if (it)
        *it = 1;
    pthread_join(t, 0);
    return 0;
}
