// expect: safe
// counts[explicit.por=source]: states < [explicit.por=none]
#include <assert.h>
#include <pthread.h>
pthread_key_t key;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void done(void *p) { pthread_mutex_lock(&m); ++*(int *)p; pthread_mutex_unlock(&m); }
void *worker(void *arg) {
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, &x);
    assert(pthread_getspecific(key) == &x);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, done);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(pthread_getspecific(key) == 0);
    assert(x == 2);
    return 0;
}
