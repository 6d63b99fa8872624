// expect[udp]: unsafe
// expect[mqtt]: unsafe
// expect[tcp]: safe
// expect[tcp-buffered]: unsafe
// property: reach,assert
// engines: bmc
// why: a lost acknowledgement makes the client pay again; under tcp nothing is lost or doubled and a send lasts until its message is received
#include <assert.h>
#include <pthread.h>
#include <ravel/net.h>

RAVEL_TOPIC(pay);
RAVEL_TOPIC(ack);
long long paid;

static void *client(void *arg)
{
    ravel_send(pay, 10);
    if (ravel_try_receive(ack) == RAVEL_NONE) {
        ravel_send(pay, 10);
        ravel_try_receive(ack);
    }
    return 0;
}

static void *bank(void *arg)
{
    paid += ravel_receive(pay);
    ravel_send(ack, 1);
    long long again = ravel_try_receive(pay);
    if (again != RAVEL_NONE) {
        paid += again;
        ravel_send(ack, 1);
    }
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, client, 0);
    pthread_create(&other, 0, bank, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(paid <= 10);
    return 0;
}
