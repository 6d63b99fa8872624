// expect: unsafe at 13
// property: misuse
// why: the handle of a thread that was joined names nobody, and nobody is cancelled by it
#include <pthread.h>

void *work(void *arg) { return arg; }

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_cancel(thread);
    return 0;
}
