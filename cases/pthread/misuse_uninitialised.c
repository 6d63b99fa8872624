// expect: unsafe at 10
// property: misuse
// engines: bmc
// why: a mutex in memory that nobody has written may be anything
#include <pthread.h>

int main(void)
{
    pthread_mutex_t lock;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
