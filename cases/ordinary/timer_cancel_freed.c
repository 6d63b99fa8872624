// expect: unsafe
// why: (use after free) cancel frees the timer's argument although the timer thread may have taken it and be running the callback
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct timer {
    int id;
    int ticks;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timer *pending;

static void on_expire(struct timer *t)
{
    t->ticks++;
    printf("timer %d expired\n", t->id);
}

static void *timer_thread(void *arg)
{
    struct timespec tick = { 0, 1000000 };
    (void)arg;
    for (int i = 0; i < 3; i++) {
        nanosleep(&tick, NULL);
        pthread_mutex_lock(&lock);
        struct timer *t = pending;
        pthread_mutex_unlock(&lock);
        if (t != NULL)
            on_expire(t);
    }
    return NULL;
}

static void timer_set(int id)
{
    struct timer *t = calloc(1, sizeof *t);
    if (t == NULL)
        abort();
    t->id = id;
    pthread_mutex_lock(&lock);
    pending = t;
    pthread_mutex_unlock(&lock);
}

static void timer_cancel(void)
{
    pthread_mutex_lock(&lock);
    struct timer *t = pending;
    pending = NULL;
    pthread_mutex_unlock(&lock);
    free(t);
}

int main(void)
{
    pthread_t t;

    timer_set(1);
    if (pthread_create(&t, NULL, timer_thread, NULL) != 0)
        return 1;
    struct timespec work = { 0, 2000000 };
    nanosleep(&work, NULL);
    timer_cancel();
    pthread_join(t, NULL);
    return 0;
}
