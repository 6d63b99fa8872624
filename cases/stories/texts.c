// expect: unsafe
// property: assert
// why: another thread has not yet said that it is busy
#include <pthread.h>
#include <string.h>
#include <assert.h>
static char name[16] = "none";
static const char *state = "idle";
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *arg) {
    pthread_mutex_lock(&m);
    strcpy(name, (const char *)arg);
    state = "busy";
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, "alice");
    pthread_mutex_lock(&m);
    const char *s = state;
    pthread_mutex_unlock(&m);
    assert(strcmp(s, "busy") == 0);
    pthread_join(t, 0);
    assert(name[0] == 'a');
    return 0;
}
