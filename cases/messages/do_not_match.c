// expect[tcp]: unknown
// expect[tcp-buffered]: safe
// property: reach,assert
// why: under tcp every message is received; two of them and one receive have no execution that comes to its end, and nothing is said of none
#include <assert.h>
#include <pthread.h>
#include <ravel/net.h>

RAVEL_TOPIC(x);
long long received;

static void *sender(void *arg)
{
    ravel_send(x, 1);
    ravel_send(x, 2);
    return 0;
}

static void *receiver(void *arg)
{
    received = ravel_receive(x);
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, sender, 0);
    pthread_create(&other, 0, receiver, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(received == 1);
    return 0;
}
