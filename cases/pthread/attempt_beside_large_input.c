// expect: safe
// why: an attempt that fails orders nothing, so interleavings do not tell all about races; and inputs are too many to be tried one by one
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned sum;

static void *add(void *unused)
{
    unsigned amount = (unsigned)rand();
    if (pthread_mutex_trylock(&lock) == 0) {
        sum += amount;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t thread;
    unsigned amount = (unsigned)rand();
    pthread_create(&thread, 0, add, 0);
    pthread_mutex_lock(&lock);
    sum += amount;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
