// expect[mqtt]: safe
// property: reach,assert
// engines: bmc
// options: -DEXACTLY_ONCE
// why: the same with a message that comes exactly once
#include <assert.h>
#include <pthread.h>
#include <ravel/net.h>

RAVEL_TOPIC(x);

static void *sender(void *arg)
{
#ifdef EXACTLY_ONCE
    ravel_send_as(x, 1, "QoS2");
#else
    ravel_send_as(x, 1, "QoS1");
#endif
    return 0;
}

static void *receiver(void *arg)
{
    ravel_receive(x);
    assert(ravel_try_receive(x) == RAVEL_NONE);
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
