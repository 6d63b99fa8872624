// expect: unsafe at 19
// why: pthread_exit ends the locals of all functions that are active
#include <pthread.h>
int *left;
void leave(void) {
    pthread_exit(0);
}
void *worker(void *arg) {
    int local = 5;
    left = &local;
    if (local)
        leave();
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return *left;
}
