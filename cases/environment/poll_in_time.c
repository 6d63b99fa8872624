// expect[assert]: unsafe
// why: another thread may write only when the time of poll has run out
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg)
{
    write(ends[1], "!", 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends))
        return 1;
    struct pollfd asked = {.fd = ends[0], .events = POLLIN};
    pthread_create(&thread, 0, writer, 0);
    assert(poll(&asked, 1, 100) == 1);
    pthread_join(thread, 0);
    return 0;
}
