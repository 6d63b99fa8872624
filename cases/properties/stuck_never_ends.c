// expect[termination]: unsafe at 12
// expect[assert]: safe
// engines: explicit
// why: a program that waits for ever never ends
#include <semaphore.h>

sem_t never;

int main(void)
{
    sem_init(&never, 0, 0);
    sem_wait(&never);
    return 0;
}
