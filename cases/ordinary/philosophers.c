// expect: safe
// why: the last philosopher takes the forks in the opposite order, so there is no circle
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define SEATS 4
#define MEALS 2

struct philosopher {
    int seat;
    int meals;
};

static pthread_mutex_t forks[SEATS];

static void eat(struct philosopher *p)
{
    int left = p->seat, right = (p->seat + 1) % SEATS;
    int first = left < right ? left : right;
    int second = left < right ? right : left;

    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    p->meals++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
}

static void *dine(void *arg)
{
    for (int i = 0; i < MEALS; i++)
        eat(arg);
    return NULL;
}

int main(void)
{
    struct philosopher table[SEATS];
    pthread_t threads[SEATS];

    for (int i = 0; i < SEATS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < SEATS; i++) {
        table[i] = (struct philosopher){ i, 0 };
        if (pthread_create(&threads[i], NULL, dine, &table[i]) != 0)
            abort();
    }
    for (int i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SEATS; i++) {
        assert(table[i].meals == MEALS);
        pthread_mutex_destroy(&forks[i]);
    }
    return 0;
}
