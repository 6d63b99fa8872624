// expect[assert]: unknown
// why: that a thread is cancelled while it waits for a pipe is refused by name
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *arg)
{
    char bell;
    assert(read(ends[0], &bell, 1) == 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends))
        return 1;
    pthread_create(&thread, 0, reader, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    return 0;
}
