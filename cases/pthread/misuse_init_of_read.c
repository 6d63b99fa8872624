// expect: unsafe at 21
// property: misuse
// why: a read-write lock that another thread reads under is not initialised
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int done;

void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    __atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    if (__atomic_load_n(&done, __ATOMIC_SEQ_CST))
        pthread_rwlock_init(&lock, 0);
    pthread_join(thread, 0);
    return 0;
}
