// expect[race]: unsafe
// why: both names are the same place
#include <assert.h>
#include <pthread.h>

int x;
int *p = &x;
void *worker(void *arg) { *p = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x = 2;
    pthread_join(t, 0);
    return 0;
}
