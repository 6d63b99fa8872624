// expect[race]: safe
// why: readers do not conflict
#include <assert.h>
#include <pthread.h>

int x = 5;
void *reader(void *arg) { return (void *)(long)x; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, reader, 0);
    pthread_create(&t, 0, reader, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    x = 6;
    return 0;
}
