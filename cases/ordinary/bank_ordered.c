// expect: safe
// why: the two accounts of a transfer are locked in the order of their numbers
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define ACCOUNTS 3
#define TELLERS 2

struct account {
    int id;
    long balance;
    pthread_mutex_t lock;
};

struct order {
    int from, to;
    long amount;
};

static struct account accounts[ACCOUNTS];

static int transfer(struct account *from, struct account *to, long amount)
{
    struct account *first = from->id < to->id ? from : to;
    struct account *second = from->id < to->id ? to : from;
    int rc = -1;

    if (from == to)
        return 0;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    if (from->balance >= amount) {
        from->balance -= amount;
        to->balance += amount;
        rc = 0;
    }
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return rc;
}

static const struct order orders[TELLERS][3] = {
    { { 0, 1, 30 }, { 1, 2, 50 }, { 2, 2, 10 } },
    { { 1, 0, 20 }, { 2, 1, 70 }, { 2, 0, 90 } },
};

static void *teller(void *arg)
{
    const struct order *o = arg;
    for (int i = 0; i < 3; i++)
        transfer(&accounts[o[i].from], &accounts[o[i].to], o[i].amount);
    return NULL;
}

int main(void)
{
    pthread_t t[TELLERS];
    long total = 0;

    for (int i = 0; i < ACCOUNTS; i++) {
        accounts[i].id = i;
        accounts[i].balance = 100;
        pthread_mutex_init(&accounts[i].lock, NULL);
    }
    for (int i = 0; i < TELLERS; i++)
        if (pthread_create(&t[i], NULL, teller, (void *)orders[i]) != 0)
            abort();
    for (int i = 0; i < TELLERS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < ACCOUNTS; i++) {
        assert(accounts[i].balance >= 0);
        total += accounts[i].balance;
        pthread_mutex_destroy(&accounts[i].lock);
    }
    assert(total == 100 * ACCOUNTS);
    return 0;
}
