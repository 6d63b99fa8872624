// expect: safe
// why: a lookup takes a reference under the table's lock; the last reference frees the connection
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SLOTS 4

struct conn {
    int fd;
    atomic_int refs;
    atomic_int bytes;
};

static struct {
    pthread_mutex_t lock;
    struct conn *slots[SLOTS];
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void conn_unref(struct conn *c)
{
    if (atomic_fetch_sub(&c->refs, 1) == 1)
        free(c);
}

static int conn_open(int fd)
{
    struct conn *c = malloc(sizeof *c);
    if (c == NULL)
        return -1;
    c->fd = fd;
    atomic_init(&c->refs, 1);
    atomic_init(&c->bytes, 0);
    pthread_mutex_lock(&table.lock);
    struct conn *old = table.slots[fd % SLOTS];
    table.slots[fd % SLOTS] = c;
    pthread_mutex_unlock(&table.lock);
    if (old != NULL)
        conn_unref(old);
    return 0;
}

static struct conn *conn_lookup(int fd)
{
    pthread_mutex_lock(&table.lock);
    struct conn *c = table.slots[fd % SLOTS];
    if (c != NULL && c->fd == fd)
        atomic_fetch_add(&c->refs, 1);
    else
        c = NULL;
    pthread_mutex_unlock(&table.lock);
    return c;
}

static void conn_close(int fd)
{
    pthread_mutex_lock(&table.lock);
    struct conn *c = table.slots[fd % SLOTS];
    if (c != NULL && c->fd == fd)
        table.slots[fd % SLOTS] = NULL;
    else
        c = NULL;
    pthread_mutex_unlock(&table.lock);
    if (c != NULL)
        conn_unref(c);
}

static void *receiver(void *arg)
{
    (void)arg;
    for (int fd = 3; fd < 5; fd++) {
        struct conn *c = conn_lookup(fd);
        if (c == NULL)
            continue;
        assert(c->fd == fd);
        atomic_fetch_add(&c->bytes, 100);
        conn_unref(c);
    }
    return NULL;
}

static void *reaper(void *arg)
{
    (void)arg;
    conn_close(3);
    conn_close(4);
    return NULL;
}

int main(void)
{
    pthread_t r, k;

    if (conn_open(3) != 0 || conn_open(4) != 0)
        return EXIT_FAILURE;
    if (pthread_create(&r, NULL, receiver, NULL) != 0 || pthread_create(&k, NULL, reaper, NULL) != 0)
        abort();
    pthread_join(r, NULL);
    pthread_join(k, NULL);
    for (int i = 0; i < SLOTS; i++)
        assert(table.slots[i] == NULL);
    return EXIT_SUCCESS;
}
