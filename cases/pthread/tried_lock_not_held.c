// expect[race]: unsafe
// why: after an attempt that failed the other thread's data is used all the same
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *mover(void *arg)
{
    int failed = pthread_mutex_trylock(&lock) != 0;
    moved++;
    if (!failed)
        pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, mover, 0);
    pthread_create(&two, 0, mover, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
