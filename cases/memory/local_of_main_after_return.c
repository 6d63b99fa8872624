// expect: unsafe at 8
// why: the locals of main end when it returns, and other threads run until the process ends
#include <pthread.h>

pthread_t thread;
void *work(void *arg)
{
    *(int *)arg = 1;
    return 0;
}

int main(void)
{
    int local;
    pthread_create(&thread, 0, work, &local);
    return 0;
}
