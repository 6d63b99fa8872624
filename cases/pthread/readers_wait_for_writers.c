// expect[deadlock]: unknown
// why: a read-write lock that lets readers wait for writers that wait is refused by name: here the second reader would wait for ever
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *write_once(void *arg) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t writer;
    pthread_create(&writer, 0, write_once, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(writer, 0);
    return 0;
}
