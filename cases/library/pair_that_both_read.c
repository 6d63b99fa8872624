// expect[deadlock]: unsafe
// why: both sides of a pair of sockets read before they write
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void talk(int end)
{
    char byte = 0;

    if (read(end, &byte, 1) == 1)
        (void)!write(end, &byte, 1);
}

static void *other(void *arg)
{
    talk(ends[1]);
    return arg;
}

int main(void)
{
    pthread_t thread;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    pthread_create(&thread, 0, other, 0);
    talk(ends[0]);
    pthread_join(thread, 0);
    return 0;
}
