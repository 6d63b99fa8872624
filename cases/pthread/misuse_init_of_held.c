// expect: unsafe at 11
// property: misuse
// why: a mutex that somebody holds is not initialised, also if an initialiser of C made it
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_init(&lock, 0);
    pthread_mutex_lock(&lock);
    return 0;
}
