// expect[udp]: unknown
// expect[sc]: unknown
// property: reach,assert
// why: a topic is no memory: reading it otherwise is refused, and so are messages where the model is one of memory
#include <assert.h>
#include <pthread.h>
#include <ravel/net.h>

RAVEL_TOPIC(x);

static void *sender(void *arg)
{
    ravel_send(x, 1);
    return 0;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, sender, 0);
    assert(x.ravel_message != 1);
    pthread_join(one, 0);
    return 0;
}
