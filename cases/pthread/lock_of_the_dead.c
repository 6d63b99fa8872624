// expect: unsafe
// property: deadlock
// engines: explicit bmc
// why: a thread ends without giving its lock back, so that the other waits for ever, though main does not wait for it
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *keeps(void *unused)
{
    pthread_mutex_lock(&lock);
    return 0;
}

void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first;
    pthread_t second;
    pthread_create(&first, 0, keeps, 0);
    pthread_create(&second, 0, waits, 0);
    return 0;
}
