// expect[udp]: unsafe at 28
// expect[tcp]: safe
// expect[tcp-buffered]: unsafe
// expect[quic]: unsafe
// property: reach,assert
// engines: bmc
// why: whoever does not wait may find nothing; under tcp a send lasts until its message is received, so that nobody comes back with nothing
#include <assert.h>
#include <pthread.h>
#include <ravel/net.h>

RAVEL_TOPIC(x);
int received;

static void *sender(void *arg)
{
    ravel_send(x, 1);
    return 0;
}

static void *receiver(void *arg)
{
    received = ravel_try_receive(x) == 1;
    return 0;
}

static void check(void) {
    assert(received);
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, sender, 0);
    pthread_create(&other, 0, receiver, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    check();
    return 0;
}
