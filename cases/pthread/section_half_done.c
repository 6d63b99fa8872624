// expect: unsafe
// property: basic
// engines: bmc
// why: the last thread reads without the lock, so it can see a section that is half done
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;
void *move(void *arg) {
    pthread_mutex_lock(&m);
    x = x + 1;
    y = y + 1;
    x = x - 1;
    y = y - 1;
    pthread_mutex_unlock(&m);
    return 0;
}
void *look(void *arg) {
    assert(x == 0);
    return 0;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, move, 0);
    pthread_create(&b, 0, move, 0);
    pthread_create(&c, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
