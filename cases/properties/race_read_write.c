// expect[race]: unsafe
// why: one reads while the other writes
#include <assert.h>
#include <pthread.h>

int x;
void *writer(void *arg) { x = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int seen = x;
    pthread_join(t, 0);
    return seen > 1;
}
