// expect[tcp]: unknown
// expect[tcp-buffered]: unsafe
// property: reach,assert
// why: when the check fails a second message is under way; tcp, where none is lost, says nothing of executions that are not over, and the answer is not "safe"
#include <assert.h>
#include <pthread.h>
#include <ravel/net.h>

RAVEL_TOPIC(x);
RAVEL_TOPIC(y);

static void *sender(void *arg)
{
    ravel_send(x, 1);
    ravel_send(y, 2);
    return 0;
}

static void *receiver(void *arg)
{
    long long found = ravel_receive(x);
    assert(found != 1);
    ravel_receive(y);
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
