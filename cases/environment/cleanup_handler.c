// expect: safe
// why: what was pushed runs where it is popped, if that says so
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void give_back(void *mutex) { pthread_mutex_unlock(mutex); }

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(give_back, &lock);
    n++;
    pthread_cleanup_pop(1);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    work(0);
    pthread_join(a, 0);
    assert(n == 2);
    return 0;
}
