// expect: unsafe
// property: deadlock
// why: a signal comes before the wait, and what it stands for is set only afterwards
#include <pthread.h>
#include <stdbool.h>
struct gate { pthread_mutex_t m; pthread_cond_t c; bool open; };
static struct gate g = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false };
static void *opener(void *arg) {
    (void)arg;
    pthread_cond_signal(&g.c);
    pthread_mutex_lock(&g.m);
    g.open = true;
    pthread_mutex_unlock(&g.m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, opener, 0);
    pthread_mutex_lock(&g.m);
    while (!g.open) pthread_cond_wait(&g.c, &g.m);
    pthread_mutex_unlock(&g.m);
    pthread_join(t, 0);
    return 0;
}
