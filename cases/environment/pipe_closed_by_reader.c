// expect[deadlock]: safe
// why: who waits for room in a pipe goes on when nobody can read any more, which is an error
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static char page[4096];
static int ends[2];

static void *writer(void *arg)
{
    for (int i = 0; i < 17; i++)
        write(ends[1], page, 4096);
    return arg;
}

int main(void)
{
    pthread_t thread;
    signal(SIGPIPE, SIG_IGN);
    if (pipe(ends))
        return 1;
    pthread_create(&thread, 0, writer, 0);
    close(ends[0]);
    pthread_join(thread, 0);
    return 0;
}
