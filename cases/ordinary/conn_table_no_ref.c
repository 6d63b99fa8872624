// expect: unsafe
// why: (use after free) the lookup gives back the lock and then the pointer is used, while another thread closes the connection and frees it
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 4

struct conn {
    int fd;
    int bytes;
    char peer[16];
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct conn *table[SLOTS];

static void conn_add(int slot, int fd)
{
    struct conn *c = calloc(1, sizeof *c);
    if (c == NULL)
        abort();
    c->fd = fd;
    snprintf(c->peer, sizeof c->peer, "10.0.0.%d", slot);
    pthread_mutex_lock(&table_lock);
    table[slot] = c;
    pthread_mutex_unlock(&table_lock);
}

static struct conn *conn_find(int fd)
{
    struct conn *found = NULL;
    pthread_mutex_lock(&table_lock);
    for (int i = 0; i < SLOTS; i++)
        if (table[i] != NULL && table[i]->fd == fd)
            found = table[i];
    pthread_mutex_unlock(&table_lock);
    return found;
}

static void conn_drop(int fd)
{
    struct conn *gone = NULL;
    pthread_mutex_lock(&table_lock);
    for (int i = 0; i < SLOTS; i++)
        if (table[i] != NULL && table[i]->fd == fd) {
            gone = table[i];
            table[i] = NULL;
        }
    pthread_mutex_unlock(&table_lock);
    free(gone);
}

static void *stats(void *arg)
{
    struct conn *c = conn_find(*(int *)arg);
    if (c != NULL)
        printf("%s: %d bytes\n", c->peer, c->bytes);
    return NULL;
}

static void *closer(void *arg)
{
    conn_drop(*(int *)arg);
    return NULL;
}

int main(void)
{
    pthread_t s, c;
    int fd = 7;

    conn_add(1, fd);
    if (pthread_create(&s, NULL, stats, &fd) != 0 || pthread_create(&c, NULL, closer, &fd) != 0)
        exit(EXIT_FAILURE);
    pthread_join(s, NULL);
    pthread_join(c, NULL);
    return EXIT_SUCCESS;
}
