// expect: unsafe at 11
// property: misuse
// engines: explicit bmc cegar
// why: a semaphore counts no further than SEM_VALUE_MAX
#include <semaphore.h>

sem_t many;

int main(void)
{
    sem_init(&many, 0, 2147483648u);
    return 0;
}
