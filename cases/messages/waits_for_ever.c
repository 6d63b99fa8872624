// expect[udp]: unsafe at 20
// expect[tcp]: unsafe at 20
// property: reach,assert
// engines: bmc
// why: that another process waits for a message that nobody sends does not hide what goes wrong
#include <assert.h>
#include <pthread.h>
#include <ravel/net.h>

RAVEL_TOPIC(x);
RAVEL_TOPIC(y);

static void *sender(void *arg)
{
    ravel_send(x, 1);
    return 0;
}

static void wrong(long long found) {
    assert(found != 1);
}

static void *receiver(void *arg)
{
    wrong(ravel_receive(x));
    return 0;
}

static void *waiting(void *arg)
{
    ravel_receive(y);
    return 0;
}

int main(void)
{
    pthread_t one, other, third;
    pthread_create(&one, 0, sender, 0);
    pthread_create(&other, 0, receiver, 0);
    pthread_create(&third, 0, waiting, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    pthread_join(third, 0);
    return 0;
}
