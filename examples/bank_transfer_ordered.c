// The transfer of bank_transfer.c with one order of locks for everybody: the account with the smaller number first.
// expect: safe
// expect[race]: safe
// why: a fixed order of locks has no cycle
#include <assert.h>
#include <pthread.h>

struct account {
    int number;
    pthread_mutex_t lock;
    int money;
};

struct account alice = {1, PTHREAD_MUTEX_INITIALIZER, 100};
struct account bob = {2, PTHREAD_MUTEX_INITIALIZER, 100};

void transfer(struct account *from, struct account *to, int amount) {
    struct account *first = from->number < to->number ? from : to;
    struct account *second = first == from ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->money -= amount;
    to->money += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

void *pay(void *arg) {
    transfer(&alice, &bob, 30);
    return 0;
}

void *refund(void *arg) {
    transfer(&bob, &alice, 10);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, pay, 0);
    pthread_create(&second, 0, refund, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(alice.money == 80 && bob.money == 120);
    return 0;
}
