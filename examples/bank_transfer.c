// Money moves between two accounts, each with its lock. Two transfers in opposite directions can wait for each other for ever.
// expect: unsafe
// property: deadlock
// expect[assert]: safe
// why: the locks are taken in the order of the arguments, not in one order for all
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int money;
};

struct account alice = {PTHREAD_MUTEX_INITIALIZER, 100};
struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

void transfer(struct account *from, struct account *to, int amount) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->money -= amount;
    to->money += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
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
    assert(alice.money + bob.money == 200);
    return 0;
}
