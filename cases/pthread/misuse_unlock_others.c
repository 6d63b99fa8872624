// expect[misuse]: unsafe at 13
// expect[assert]: safe
// engines: explicit bmc cegar
// why: only the thread that has locked a mutex may unlock it
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *other(void *unused)
{
    if (pthread_mutex_trylock(&lock) == 0)
        pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    return 0;
}
