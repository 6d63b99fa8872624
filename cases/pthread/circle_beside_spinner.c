// expect: unsafe
// property: deadlock
// engines: explicit bmc
// why: a third thread that never stops does not make two others, which wait for each other, go on
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_spinlock_t b;
atomic_int never;

void *spins(void *unused)
{
    while (!atomic_load(&never))
        ;
    return 0;
}

void *forth(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_spin_lock(&b);
    pthread_spin_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

int main(void)
{
    pthread_t first;
    pthread_t second;
    pthread_create(&first, 0, spins, 0);
    pthread_create(&second, 0, forth, 0);
    pthread_spin_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_spin_unlock(&b);
    return 0;
}
