// expect[misuse]: unsafe at 10
// expect[deadlock]: unsafe at 10
// engines: explicit bmc
// why: the routine that runs once waits for itself
#include <pthread.h>
pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void)
{
    pthread_once(&once, initialise);
}

int main(void)
{
    pthread_once(&once, initialise);
    return 0;
}
