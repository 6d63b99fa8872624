// expect: safe
#include <assert.h>
#include <pthread.h>

_Thread_local int mine = 3;
static __thread int other;
void *worker(void *arg) { mine++; other = 1; assert(mine == 4); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(mine == 3 && other == 0);
    return 0;
}
