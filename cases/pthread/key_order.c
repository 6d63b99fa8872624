// expect: unsafe at 10
// engines: explicit bmc
// why: destructors of several keys run in any order
#include <assert.h>
#include <pthread.h>

pthread_key_t first, second;
int n_done;

void end_first(void *value) { assert(n_done == 0); n_done++; }
void end_second(void *value) { n_done++; }

void *work(void *arg) {
    pthread_setspecific(first, arg);
    pthread_setspecific(second, arg);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&first, end_first);
    pthread_key_create(&second, end_second);
    pthread_create(&thread, 0, work, &n_done);
    pthread_join(thread, 0);
    return 0;
}
