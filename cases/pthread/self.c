// expect: safe
#include <assert.h>
#include <pthread.h>
pthread_t boss;
void *worker(void *arg) {
    pthread_t me = pthread_self();
    assert(pthread_equal(me, pthread_self()));
    assert(!pthread_equal(me, boss));
    return 0;
}
int main(void) {
    pthread_t a, b;
    boss = pthread_self();
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);

    return 0;
}
