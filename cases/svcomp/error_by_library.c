// expect: unsafe at 5
// The name means an error, also where the library calls it.
#include <pthread.h>
pthread_once_t once = PTHREAD_ONCE_INIT;
void __VERIFIER_error(void) { }
int main(void) {
    pthread_once(&once, __VERIFIER_error);
    return 0;
}
