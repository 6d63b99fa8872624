// expect: safe
// why: readers copy the settings under the read lock; the writer swaps under the write lock and frees the old ones afterwards
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config {
    int version;
    int timeout_ms;
    int retries;
};

static struct config *current;
static pthread_rwlock_t config_lock = PTHREAD_RWLOCK_INITIALIZER;

static struct config *config_load(int version)
{
    struct config *c = malloc(sizeof *c);
    if (c == NULL)
        abort();
    c->version = version;
    c->timeout_ms = 100 * version;
    c->retries = 3;
    return c;
}

static struct config config_snapshot(void)
{
    pthread_rwlock_rdlock(&config_lock);
    struct config copy = *current;
    pthread_rwlock_unlock(&config_lock);
    return copy;
}

static void config_replace(struct config *fresh)
{
    pthread_rwlock_wrlock(&config_lock);
    struct config *old = current;
    current = fresh;
    pthread_rwlock_unlock(&config_lock);
    free(old);
}

static void *worker(void *arg)
{
    int last = 0;
    (void)arg;
    for (int i = 0; i < 3; i++) {
        struct config c = config_snapshot();
        assert(c.timeout_ms == 100 * c.version);
        assert(c.version >= last);
        last = c.version;
    }
    return NULL;
}

static void *reloader(void *arg)
{
    (void)arg;
    for (int version = 2; version <= 3; version++)
        config_replace(config_load(version));
    return NULL;
}

int main(void)
{
    pthread_t workers[2], reload;

    current = config_load(1);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&workers[i], NULL, worker, NULL) != 0)
            abort();
    if (pthread_create(&reload, NULL, reloader, NULL) != 0)
        abort();
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    pthread_join(reload, NULL);
    assert(current->version == 3);
    free(current);
    return 0;
}
