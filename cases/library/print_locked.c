// expect[race]: safe
// why: text and number are printed under the lock that guards them
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char name[4] = "abc";
int n;
void *logger(void *arg) {
    pthread_mutex_lock(&lock);
    fprintf(stderr, "%-8s %d %.2s\n", name, n, name);
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, logger, 0);
    pthread_mutex_lock(&lock);
    name[1] = 'x';
    n = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
