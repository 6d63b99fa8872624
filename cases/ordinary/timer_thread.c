// expect: safe
// why: a timer thread sleeps until the next deadline or a change; callbacks run without the lock; it ends when told to
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define MAX_TIMERS 4

struct timer {
    bool armed;
    struct timespec due;
    void (*fire)(void *);
    void *arg;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct timer timers[MAX_TIMERS];
    bool stop;
} wheel = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static bool before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static struct timer *earliest(void)
{
    struct timer *best = NULL;
    for (int i = 0; i < MAX_TIMERS; i++) {
        struct timer *t = &wheel.timers[i];
        if (t->armed && (best == NULL || before(&t->due, &best->due)))
            best = t;
    }
    return best;
}

static void *timer_main(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&wheel.lock);
    while (!wheel.stop) {
        struct timer *t = earliest();
        if (t == NULL) {
            pthread_cond_wait(&wheel.changed, &wheel.lock);
            continue;
        }
        struct timespec due = t->due;
        if (pthread_cond_timedwait(&wheel.changed, &wheel.lock, &due) != ETIMEDOUT)
            continue;
        if (wheel.stop || !t->armed)
            continue;
        t->armed = false;
        void (*fire)(void *) = t->fire;
        void *fire_arg = t->arg;
        pthread_mutex_unlock(&wheel.lock);
        fire(fire_arg);
        pthread_mutex_lock(&wheel.lock);
    }
    pthread_mutex_unlock(&wheel.lock);
    return NULL;
}

static void timer_add(int slot, long delay_ms, void (*fire)(void *), void *arg)
{
    struct timespec due;
    clock_gettime(CLOCK_REALTIME, &due);
    due.tv_sec += (delay_ms + due.tv_nsec / 1000000) / 1000;
    due.tv_nsec = (delay_ms * 1000000L + due.tv_nsec) % 1000000000L;
    pthread_mutex_lock(&wheel.lock);
    wheel.timers[slot] = (struct timer){ true, due, fire, arg };
    pthread_cond_signal(&wheel.changed);
    pthread_mutex_unlock(&wheel.lock);
}

static void count(void *arg)
{
    ++*(int *)arg;
}

int main(void)
{
    pthread_t t;
    int fired = 0;

    if (pthread_create(&t, NULL, timer_main, NULL) != 0)
        abort();
    timer_add(0, 2, count, &fired);
    timer_add(1, 1, count, &fired);
    struct timespec pause = { 0, 5000000 };
    nanosleep(&pause, NULL);
    pthread_mutex_lock(&wheel.lock);
    wheel.stop = true;
    pthread_cond_signal(&wheel.changed);
    pthread_mutex_unlock(&wheel.lock);
    pthread_join(t, NULL);
    assert(fired <= 2);
    return 0;
}
