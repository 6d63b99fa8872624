// expect: unsafe
// property: deadlock
// engines: explicit bmc
// why: two writers of read-write locks wait for each other while main ends
#include <pthread.h>

pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER;
pthread_rwlock_t b = PTHREAD_RWLOCK_INITIALIZER;

void *forth(void *unused)
{
    pthread_rwlock_wrlock(&a);
    pthread_rwlock_rdlock(&b);
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    return 0;
}

void *back(void *unused)
{
    pthread_rwlock_wrlock(&b);
    pthread_rwlock_wrlock(&a);
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
    return 0;
}

int main(void)
{
    pthread_t first;
    pthread_t second;
    pthread_create(&first, 0, forth, 0);
    pthread_create(&second, 0, back, 0);
    return 0;
}
