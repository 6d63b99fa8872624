// expect[race]: unsafe
// why: the numbers of drand48 have one state for all threads, and nobody guards it
#include <pthread.h>
#include <stdlib.h>

static void *draw(void *unused)
{
    (void)drand48();
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, draw, 0);
    (void)drand48();
    pthread_join(thread, 0);
    return 0;
}
