// expect: unsafe
// why: (deadlock) transfers lock the source first: a transfer 0 -> 1 beside one 1 -> 0 may each hold one account and wait for the other
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct account {
    const char *owner;
    int balance;
    pthread_mutex_t lock;
};

struct request {
    struct account *from, *to;
    int amount;
};

static struct account alice = { "alice", 100, PTHREAD_MUTEX_INITIALIZER };
static struct account bob = { "bob", 100, PTHREAD_MUTEX_INITIALIZER };

static int transfer(struct account *from, struct account *to, int amount)
{
    int ok = 0;

    pthread_mutex_lock(&from->lock);
    if (from->balance >= amount) {
        pthread_mutex_lock(&to->lock);
        from->balance -= amount;
        to->balance += amount;
        pthread_mutex_unlock(&to->lock);
        ok = 1;
    }
    pthread_mutex_unlock(&from->lock);
    return ok;
}

static void *serve(void *arg)
{
    struct request *r = arg;
    for (int i = 0; i < 3; i++)
        if (!transfer(r->from, r->to, r->amount))
            fprintf(stderr, "%s has not enough money\n", r->from->owner);
    return NULL;
}

int main(void)
{
    struct request requests[2] = { { &alice, &bob, 10 }, { &bob, &alice, 25 } };
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, serve, &requests[i]) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%s %d, %s %d\n", alice.owner, alice.balance, bob.owner, bob.balance);
    return 0;
}
