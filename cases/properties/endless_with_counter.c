// expect[termination]: unsafe at 14
// engines: explicit
// why: the loop never ends though its states never come back: a counter that nobody looks at differs each time around
#include <pthread.h>
#include <stdatomic.h>

atomic_int stop;
int rounds, last;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
    (void)arg;
    while (!stop) {
        pthread_mutex_lock(&m);
        rounds += 3;
        last = rounds;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
