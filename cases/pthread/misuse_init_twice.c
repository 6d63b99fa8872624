// expect: unsafe at 9
// property: misuse
// why: what is initialised must be destroyed before it is initialised again
#include <pthread.h>

pthread_mutex_t lock;
int main(void) {
    pthread_mutex_init(&lock, 0);
    pthread_mutex_init(&lock, 0);
    return 0;
}
