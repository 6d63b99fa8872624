// expect[deadlock]: unsafe
// why: who reads a second time what was written once waits for ever
#include <pthread.h>
#include <unistd.h>

int ends[2];

void *maker(void *arg)
{
    write(ends[1], "!", 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    char bell;
    if (pipe(ends))
        return 1;
    pthread_create(&thread, 0, maker, 0);
    read(ends[0], &bell, 1);
    read(ends[0], &bell, 1);
    pthread_join(thread, 0);
    return 0;
}
