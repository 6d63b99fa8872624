// expect: unsafe at 13
// property: misuse
// engines: explicit bmc cegar
// why: a semaphore that was destroyed is posted
#include <semaphore.h>

sem_t last;

int main(void)
{
    sem_init(&last, 0, 0);
    sem_destroy(&last);
    sem_post(&last);
    return 0;
}
