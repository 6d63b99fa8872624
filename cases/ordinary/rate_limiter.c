// expect: safe
// why: a token bucket whose tokens are taken with compare-and-exchange, so never more than there are
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define TOKENS 3
#define CLIENTS 2

struct bucket {
    atomic_int tokens;
    atomic_int rejected;
};

static struct bucket bucket = { TOKENS, 0 };

static bool bucket_take(struct bucket *b)
{
    int have = atomic_load_explicit(&b->tokens, memory_order_relaxed);
    while (have > 0)
        if (atomic_compare_exchange_weak_explicit(&b->tokens, &have, have - 1, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return true;
    atomic_fetch_add_explicit(&b->rejected, 1, memory_order_relaxed);
    return false;
}

struct client {
    pthread_t thread;
    int admitted;
};

static void *client_main(void *arg)
{
    struct client *c = arg;
    for (int i = 0; i < 3; i++)
        if (bucket_take(&bucket))
            c->admitted++;
    return NULL;
}

int main(void)
{
    struct client clients[CLIENTS];
    int admitted = 0;

    for (int i = 0; i < CLIENTS; i++) {
        clients[i].admitted = 0;
        if (pthread_create(&clients[i].thread, NULL, client_main, &clients[i]) != 0)
            abort();
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        admitted += clients[i].admitted;
    }
    assert(admitted == TOKENS);
    assert(atomic_load(&bucket.tokens) == 0);
    assert(atomic_load(&bucket.rejected) == 3 * CLIENTS - TOKENS);
    return 0;
}
