// expect[rc11]: unsafe
// property: race
// engines: bmc
// One of the threads has a lock of its own, which orders nothing.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other_lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *other_worker(void *unused)
{
    pthread_mutex_lock(&other_lock);
    count++;
    pthread_mutex_unlock(&other_lock);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&other, 0, other_worker, 0);
    pthread_join(other, 0);
    return 0;
}
