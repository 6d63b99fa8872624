// expect: unknown
// property: assert
// why: whether the second thread gets to the assertion depends on a cosine that is not computed
#include <assert.h>
#include <math.h>
#include <pthread.h>

static double wave;

static void *work(void *argument)
{
    if (wave > 0.99)
        assert(0);
    return 0;
}

int main(void)
{
    pthread_t other;
    wave = cos(0.5);
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
