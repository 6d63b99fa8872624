// expect: unsafe at 12
// property: misuse
// why: a spin lock that somebody holds is not initialised
#include <pthread.h>

pthread_spinlock_t lock;

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    return 0;
}
