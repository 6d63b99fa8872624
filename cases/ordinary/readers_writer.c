// expect: safe
// why: a hand-made read-write lock that prefers writers, with one mutex and two conditions
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct rw {
    pthread_mutex_t lock;
    pthread_cond_t can_read, can_write;
    int readers, writing, writers_waiting;
};

static struct rw rw = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .can_read = PTHREAD_COND_INITIALIZER,
    .can_write = PTHREAD_COND_INITIALIZER,
};
static int low, high;

static void read_begin(struct rw *l)
{
    pthread_mutex_lock(&l->lock);
    while (l->writing || l->writers_waiting > 0)
        pthread_cond_wait(&l->can_read, &l->lock);
    l->readers++;
    pthread_mutex_unlock(&l->lock);
}

static void read_end(struct rw *l)
{
    pthread_mutex_lock(&l->lock);
    if (--l->readers == 0)
        pthread_cond_signal(&l->can_write);
    pthread_mutex_unlock(&l->lock);
}

static void write_begin(struct rw *l)
{
    pthread_mutex_lock(&l->lock);
    l->writers_waiting++;
    while (l->writing || l->readers > 0)
        pthread_cond_wait(&l->can_write, &l->lock);
    l->writers_waiting--;
    l->writing = 1;
    pthread_mutex_unlock(&l->lock);
}

static void write_end(struct rw *l)
{
    pthread_mutex_lock(&l->lock);
    l->writing = 0;
    if (l->writers_waiting > 0)
        pthread_cond_signal(&l->can_write);
    else
        pthread_cond_broadcast(&l->can_read);
    pthread_mutex_unlock(&l->lock);
}

static void *reader(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        read_begin(&rw);
        assert(low + 10 == high);
        read_end(&rw);
    }
    return NULL;
}

static void *writer(void *arg)
{
    (void)arg;
    write_begin(&rw);
    low++;
    high++;
    write_end(&rw);
    return NULL;
}

int main(void)
{
    pthread_t t[4];

    high = 10;
    for (int i = 0; i < 4; i++)
        if (pthread_create(&t[i], NULL, i % 2 ? writer : reader, NULL) != 0)
            abort();
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(low == 2);
    return 0;
}
