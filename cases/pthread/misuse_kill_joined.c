// expect: unsafe at 14
// property: misuse
// why: whether a thread is there is not asked of one that was joined
#include <pthread.h>
#include <signal.h>

void *work(void *arg) { return arg; }

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return pthread_kill(thread, 0);
}
