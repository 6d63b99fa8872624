// expect[quic]: unsafe
// expect[dds]: unsafe
// expect[tcp]: unknown
// property: reach,assert
// engines: bmc
// why: streams know nothing of each other: what was sent later may come first; under tcp the first send lasts until somebody receives it, and nobody ever does
#include <assert.h>
#include <pthread.h>
#include <ravel/net.h>

RAVEL_TOPIC(control);
RAVEL_TOPIC(data);
int wrong;

static void *sender(void *arg)
{
    ravel_send(data, 5);
    ravel_send(control, 1);
    return 0;
}

static void *receiver(void *arg)
{
    ravel_receive(control);
    wrong = ravel_try_receive(data) != 5;
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, sender, 0);
    pthread_create(&other, 0, receiver, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(!wrong);
    return 0;
}
