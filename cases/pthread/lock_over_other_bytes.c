// expect[misuse]: unsafe at 12
// why: the bytes of the mutex were written by another member of the union, so that it does not look initialised
#include <pthread.h>

static union {
    int words[16];
    pthread_mutex_t mutex;
} both;

static void take(void)
{
    pthread_mutex_lock(&both.mutex);
}

int main(void)
{
    both.words[0] = 0x777777;
    take();
    return 0;
}
