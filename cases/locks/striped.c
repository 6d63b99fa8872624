// expect: safe
// property: assert,deadlock,race
// A lock for each half of a table; an input chooses.
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int table[2];
static void *count(void *unused) {
    unsigned key = __VERIFIER_nondet_uint() % 2;
    pthread_mutex_lock(&locks[key]);
    table[key] = 1;
    pthread_mutex_unlock(&locks[key]);
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
    count(0);
    pthread_join(thread, 0);
    return 0;
}
