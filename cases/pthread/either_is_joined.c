// expect[sc]: unsafe at 17
// expect[tso]: unsafe at 17
// expect[rc11]: unsafe at 17
// expect[imm]: unsafe at 17
// Either of two threads is started, and both ways give it the same handle: whoever joins it waits for the one that is there.
#include <assert.h>
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
int x;
static void *first(void *unused) { x = 1; return 0; }
static void *second(void *unused) { x = 2; return 0; }
static void start(pthread_t *thread, void *(*run)(void *)) { pthread_create(thread, 0, run, 0); }
int main(void) {
    pthread_t thread;
    start(&thread, __VERIFIER_nondet_bool() ? first : second);
    pthread_join(thread, 0);
    assert(x != 1);
    return 0;
}
