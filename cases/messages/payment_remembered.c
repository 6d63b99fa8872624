// expect[udp]: safe
// expect[rpc]: safe
// expect[tcp-buffered]: safe
// property: reach,assert
// engines: bmc
// why: a request carries a number, and the bank remembers the last one: whatever the network does, it pays once
#include <assert.h>
#include <pthread.h>
#include <ravel/net.h>

RAVEL_TOPIC(pay);
RAVEL_TOPIC(ack);

static void *client(void *arg)
{
    ravel_send(pay, 7);
    if (ravel_try_receive(ack) == RAVEL_NONE) {
        ravel_send(pay, 7);
        ravel_try_receive(ack);
    }
    return 0;
}

static void *bank(void *arg)
{
    int paid = 0;
    long long last = ravel_receive(pay);
    paid += 10;
    ravel_send(ack, 1);
    long long again = ravel_try_receive(pay);
    if (again != RAVEL_NONE) {
        if (again != last)
            paid += 10;
        ravel_send(ack, 1);
    }
    assert(paid <= 10);
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, client, 0);
    pthread_create(&other, 0, bank, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
