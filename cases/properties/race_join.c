// expect[race]: safe
// why: join orders the accesses
#include <assert.h>
#include <pthread.h>

int x;
void *worker(void *arg) { x = 1; return 0; }
int main(void) {
    pthread_t t;
    x = 3;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(x == 1);
    return 0;
}
