// expect: unsafe at 18
// expect[race]: unsafe
// property: basic
// why: each thread holds a lock, but not the same one
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
int x;
void *first(void *arg) { pthread_mutex_lock(&m1); x = x + 1; pthread_mutex_unlock(&m1); return 0; }
void *second(void *arg) { pthread_mutex_lock(&m2); x = x + 1; pthread_mutex_unlock(&m2); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
