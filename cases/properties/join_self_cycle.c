// expect[deadlock]: unsafe
// why: the threads join each other
#include <assert.h>
#include <pthread.h>

pthread_t a, b;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *first(void *arg) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_join(b, 0); return 0; }
void *second(void *arg) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_join(a, 0); return 0; }
int main(void) {
    pthread_mutex_lock(&m);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_mutex_unlock(&m);
    pthread_exit(0);
}
