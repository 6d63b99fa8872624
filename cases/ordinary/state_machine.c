// expect: safe
// why: transitions are made by one compare-and-exchange from the expected state; only the winner closes the descriptor
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum state { IDLE, CONNECTING, CONNECTED, CLOSING, CLOSED };

struct link {
    _Atomic enum state state;
    int fd;
    int closes;
};

static struct link link_ = { IDLE, -1, 0 };

static int transition(struct link *l, enum state from, enum state to)
{
    return atomic_compare_exchange_strong(&l->state, &from, to);
}

static int link_connect(struct link *l)
{
    if (!transition(l, IDLE, CONNECTING))
        return -1;
    l->fd = 5;
    atomic_store(&l->state, CONNECTED);
    return 0;
}

static int link_close(struct link *l)
{
    if (!transition(l, CONNECTED, CLOSING))
        return -1;
    assert(l->fd == 5);
    l->fd = -1;
    l->closes++;
    atomic_store(&l->state, CLOSED);
    return 0;
}

static void *peer(void *arg)
{
    struct link *l = arg;
    link_connect(l);
    link_close(l);
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, peer, &link_) != 0)
            abort();
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(link_.closes == 1);
    assert(atomic_load(&link_.state) == CLOSED);
    assert(link_.fd == -1);
    return 0;
}
