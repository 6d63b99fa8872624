// expect[race]: safe
// why: a locked instruction is a full barrier, also to the model of C11 that races are asked about
#include <pthread.h>

static int mine, yours, data;

static inline void raise(int *flag)
{
    __asm__ volatile("lock incl %0" : "+m"(*flag) : : "memory");
}

static inline int look(int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void *other(void *unused)
{
    raise(&yours);
    if (look(&mine) == 0)
        data = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    raise(&mine);
    if (look(&yours) == 0)
        data = 2;
    return 0;
}
