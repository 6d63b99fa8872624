// expect: unsafe at 13
// property: misuse
// engines: explicit bmc cegar
// why: a read-write lock that nobody holds cannot be given back
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
