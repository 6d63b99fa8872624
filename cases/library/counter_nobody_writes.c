// expect[deadlock]: unsafe
// why: reading a counter that is zero waits, and nobody writes it
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int done;

static void *waiter(void *arg)
{
    uint64_t count;

    if (read(done, &count, sizeof count) != sizeof count)
        return 0;
    return arg;
}

int main(void)
{
    pthread_t thread;

    done = eventfd(0, EFD_CLOEXEC);
    if (done < 0)
        return 1;
    pthread_create(&thread, 0, waiter, 0);
    pthread_join(thread, 0);
    return 0;
}
