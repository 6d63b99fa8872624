// expect[udp]: unsafe at 21
// expect[tcp-buffered]: safe
// expect[quic]: safe
// property: reach,assert
// engines: bmc
// why: datagrams overtake each other; on a stream messages come in order
#include <assert.h>
#include <pthread.h>
#include <ravel/net.h>

RAVEL_TOPIC(x);

static void *sender(void *arg)
{
    ravel_send(x, 1);
    ravel_send(x, 2);
    return 0;
}

static void check(long long first, long long second) {
    assert(!(first == 2 && second == 1));
}

static void *receiver(void *arg)
{
    long long first = ravel_receive(x);
    check(first, ravel_receive(x));
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, sender, 0);
    pthread_create(&other, 0, receiver, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
