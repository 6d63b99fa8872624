// expect: unsafe
// why: (race) a hit marks the entry as used while only the read lock is held, so two readers write it at the same time
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES 4

struct entry {
    char name[16];
    int value;
    unsigned last_used;
};

static struct {
    pthread_rwlock_t lock;
    struct entry entries[ENTRIES];
    int size;
    unsigned clock;
} cache = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static void cache_add(const char *name, int value)
{
    int slot = 0;

    pthread_rwlock_wrlock(&cache.lock);
    if (cache.size < ENTRIES) {
        slot = cache.size++;
    } else {
        for (int i = 1; i < ENTRIES; i++)
            if (cache.entries[i].last_used < cache.entries[slot].last_used)
                slot = i;
    }
    snprintf(cache.entries[slot].name, sizeof cache.entries[slot].name, "%s", name);
    cache.entries[slot].value = value;
    cache.entries[slot].last_used = ++cache.clock;
    pthread_rwlock_unlock(&cache.lock);
}

static int cache_find(const char *name, int *value)
{
    int found = 0;

    pthread_rwlock_rdlock(&cache.lock);
    for (int i = 0; i < cache.size && !found; i++) {
        struct entry *e = &cache.entries[i];
        if (strcmp(e->name, name) == 0) {
            *value = e->value;
            e->last_used = cache.clock;
            found = 1;
        }
    }
    pthread_rwlock_unlock(&cache.lock);
    return found;
}

static void *client(void *arg)
{
    const char *name = arg;
    int value;

    if (!cache_find(name, &value)) {
        value = (int)strlen(name);
        cache_add(name, value);
    }
    printf("%s: %d\n", name, value);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    char *names[3] = { "example.org", "localhost", "example.org" };

    cache_add("localhost", 127);
    cache_add("example.org", 93);
    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, client, names[i]) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
