// expect[race]: safe
// why: gcc's older builtins are full barriers: of two threads that raise a flag each and then look at the other's, one sees the other
#include <pthread.h>

static int mine, yours, data;

static void *other(void *unused)
{
    __sync_fetch_and_add(&yours, 1);
    if (__atomic_load_n(&mine, __ATOMIC_RELAXED) == 0)
        data = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    __sync_fetch_and_add(&mine, 1);
    if (__atomic_load_n(&yours, __ATOMIC_RELAXED) == 0)
        data = 2;
    return 0;
}
