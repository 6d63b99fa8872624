// expect: unsafe
// why: (race) the spin lock tests and sets in two steps: two threads may both see it free and both enter
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    atomic_bool taken;
} spinlock;

static spinlock list_lock;

struct item {
    int id;
    struct item *next;
};

static struct item *list;

static void spin_acquire(spinlock *s)
{
    while (atomic_load(&s->taken))
        sched_yield();
    atomic_store(&s->taken, true);
}

static void spin_release(spinlock *s)
{
    atomic_store(&s->taken, false);
}

static void *adder(void *arg)
{
    struct item *it = malloc(sizeof *it);
    if (it == NULL)
        abort();
    it->id = *(int *)arg;
    spin_acquire(&list_lock);
    it->next = list;
    list = it;
    spin_release(&list_lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int ids[2] = { 7, 8 };

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, adder, &ids[i]) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    while (list != NULL) {
        struct item *it = list;
        list = it->next;
        printf("item %d\n", it->id);
        free(it);
    }
    return EXIT_SUCCESS;
}
