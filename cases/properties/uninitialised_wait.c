// expect: unsafe at 10
// property: deadlock
// engines: bmc
// why: what is in a mutex that nobody has initialised may keep whoever takes it waiting for ever
#include <pthread.h>

int main(void)
{
    pthread_mutex_t lock;
    pthread_mutex_lock(&lock);
    return 0;
}
