// expect[deadlock]: unsafe
// expect[assert]: safe
// engines: explicit bmc
// why: the two wait for each other for ever although main goes on and ends
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
int done;

void *forth(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    done++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

void *back(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    done++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}

int main(void)
{
    pthread_t first;
    pthread_t second;
    pthread_create(&first, 0, forth, 0);
    pthread_create(&second, 0, back, 0);
    return 0;
}
