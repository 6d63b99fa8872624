// expect: unsafe
// engines: explicit bmc
// why: the condition variable is destroyed although its waiter was never woken
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t *changed;
int is_ready, is_waiting;

void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    is_waiting = 1;
    while (!is_ready)
        pthread_cond_wait(changed, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    changed = malloc(sizeof *changed);
    pthread_cond_init(changed, 0);
    pthread_create(&thread, 0, waiter, 0);
    pthread_mutex_lock(&lock);
    if (is_waiting) {
        pthread_cond_destroy(changed);
        free(changed);
    }
    is_ready = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}
