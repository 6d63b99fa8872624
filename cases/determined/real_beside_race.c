// expect: unsafe at 13
// property: race
// why: the race is there whatever the sine is
#include <math.h>
#include <pthread.h>

static int n;
static double wave;

static void *work(void *argument)
{
    wave = sin(*(double *)argument) * 2;
    n++;
    return 0;
}

int main(void)
{
    double angle = 0.5;
    pthread_t other;
    pthread_create(&other, 0, work, &angle);
    n++;
    pthread_join(other, 0);
    return wave > 3;
}
