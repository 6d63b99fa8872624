// expect[race]: unsafe at 15
// options: --entry add --entry get
// why: two functions of a library that users may call side by side; one forgets the lock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

void add(int by) {
    pthread_mutex_lock(&lock);
    n += by & 1;
    pthread_mutex_unlock(&lock);
}

int get(void) { return n; }
