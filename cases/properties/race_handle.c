// expect[race]: unsafe
// engines: explicit bmc
// why: nothing says that the handle is stored before the thread reads it
#include <pthread.h>

pthread_t handle;
void *thread(void *arg) {
    pthread_t mine = handle;
    return 0;
}
int main(void) {
    pthread_create(&handle, 0, thread, 0);
    return 0;
}
