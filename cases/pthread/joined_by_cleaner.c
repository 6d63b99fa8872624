// expect: safe
// expect[race]: safe
// why: a thread that is not the creator joins those who say that they are done; their handles are stored by then
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t done = PTHREAD_COND_INITIALIZER;
pthread_t worker;
int is_done;

void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    is_done = 1;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return 0;
}

void *clean(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!is_done)
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, 0);
    return 0;
}

int main(void)
{
    pthread_t cleaner;
    pthread_create(&cleaner, 0, clean, 0);
    pthread_create(&worker, 0, work, 0);
    pthread_join(cleaner, 0);
    return 0;
}
