// expect: unsafe
// why: (race) Peterson's lock needs sequential consistency: with acquire and release each thread may miss the other's flag and both enter
// no interleaving shows it: by C11 the store of one's own flag and turn may become visible after the load of the other's flag (store buffering)
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int wants[2];
static atomic_int turn;
static int balance;

static void enter(int me)
{
    int other = 1 - me;
    atomic_store_explicit(&wants[me], 1, memory_order_release);
    atomic_store_explicit(&turn, other, memory_order_release);
    while (atomic_load_explicit(&wants[other], memory_order_acquire) &&
           atomic_load_explicit(&turn, memory_order_acquire) == other)
        sched_yield();
}

static void leave(int me)
{
    atomic_store_explicit(&wants[me], 0, memory_order_release);
}

static void *depositor(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < 2; i++) {
        enter(me);
        balance += 10;
        leave(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int ids[2] = { 0, 1 };

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, depositor, &ids[i]) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("balance %d\n", balance);
    return EXIT_SUCCESS;
}
