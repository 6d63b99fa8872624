// expect: unsafe
// why: (assert) the owner takes the last task without competing with thieves for it (no compare-and-exchange on top), so it may run twice
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define TASKS 4

static atomic_int tasks[TASKS];
static atomic_int top, bottom;
static atomic_int runs[TASKS];

static void push(int task)
{
    int b = atomic_load(&bottom);
    atomic_store(&tasks[b % TASKS], task);
    atomic_store(&bottom, b + 1);
}

static int take(void)
{
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    if (atomic_load(&top) > b) {
        atomic_store(&bottom, b + 1);
        return -1;
    }
    return atomic_load(&tasks[b % TASKS]);
}

static int steal(void)
{
    int t = atomic_load(&top);
    if (t >= atomic_load(&bottom))
        return -1;
    int task = atomic_load(&tasks[t % TASKS]);
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
        return -1;
    return task;
}

static void run(int task)
{
    int before = atomic_fetch_add(&runs[task], 1);
    assert(before == 0);
}

static void *thief(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        int task = steal();
        if (task >= 0)
            run(task);
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    int task;

    for (int i = 0; i < 3; i++)
        push(i);
    if (pthread_create(&t, NULL, thief, NULL) != 0) {
        perror("pthread_create");
        return EXIT_FAILURE;
    }
    while ((task = take()) >= 0)
        run(task);
    pthread_join(t, NULL);
    return EXIT_SUCCESS;
}
