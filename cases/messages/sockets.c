// expect[udp]: unsafe
// expect[tcp]: safe
// property: reach,assert
// engines: bmc
// why: two datagrams of one socket to another: the second may come first, or the first twice; whoever answers does so to who has asked
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#define RAVEL_SOCKETS
#include <ravel/net.h>

RAVEL_ENDPOINTS(client, server);
int first, second;

static void *ask(void *arg)
{
    int number = 1;
    connect(client, ravel_at(server), sizeof *ravel_at(server));
    send(client, &number, sizeof number, 0);
    number = 2;
    send(client, &number, sizeof number, 0);
    return 0;
}

static void *answer(void *arg)
{
    const struct sockaddr *from;
    int one, other;
    recv(server, &one, sizeof one, 0);
    recvfrom(server, &other, sizeof other, 0, &from, 0);
    first = one;
    second = other;
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, ask, 0);
    pthread_create(&other, 0, answer, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(first == 1 && second == 2);
    return 0;
}
