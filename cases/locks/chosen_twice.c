// expect: unsafe
// property: deadlock
// The second lock is the first one, if an input says so: whoever chooses that waits for ever, and others who choose better do not help.
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static void *take_both(void *unused) {
    pthread_mutex_lock(&one);
    pthread_mutex_t *second = __VERIFIER_nondet_bool() ? &one : &other;
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(&one);
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, take_both, 0);
    pthread_join(thread, 0);
    return 0;
}
