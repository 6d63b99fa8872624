// expect: safe
// property: assert
// why: a counter gives what was added to it, and nothing as long as nothing was
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int counter;
atomic_int started;

void *worker(void *arg)
{
    uint64_t three = 3;
    started = 1;
    write(counter, &three, sizeof three);
    return 0;
}

int main(void)
{
    pthread_t t;
    uint64_t got = 0;
    counter = eventfd(0, 0);
    if (counter < 0)
        return 0;
    struct pollfd watched = { .fd = counter, .events = POLLIN };
    pthread_create(&t, 0, worker, 0);
    if (poll(&watched, 1, 0) == 1 && (watched.revents & POLLIN))
        assert(started == 1);
    if (read(counter, &got, sizeof got) == 8)
        assert(got == 3 && started == 1);
    pthread_join(t, 0);
    return 0;
}
