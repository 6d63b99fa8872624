// expect: safe
// why: a small LRU cache, all of it under one mutex; values are copied out
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define CAPACITY 3

struct entry {
    int key, value;
    struct entry *prev, *next;
};

struct cache {
    pthread_mutex_t lock;
    struct entry *first, *last;
    int size, hits, misses;
};

static void unlink_entry(struct cache *c, struct entry *e)
{
    if (e->prev)
        e->prev->next = e->next;
    else
        c->first = e->next;
    if (e->next)
        e->next->prev = e->prev;
    else
        c->last = e->prev;
}

static void push_front(struct cache *c, struct entry *e)
{
    e->prev = NULL;
    e->next = c->first;
    if (c->first)
        c->first->prev = e;
    else
        c->last = e;
    c->first = e;
}

static int compute(int key)
{
    return key * 7;
}

static int cache_get(struct cache *c, int key)
{
    struct entry *e;
    int value;

    pthread_mutex_lock(&c->lock);
    for (e = c->first; e != NULL && e->key != key; e = e->next)
        ;
    if (e != NULL) {
        c->hits++;
        unlink_entry(c, e);
    } else {
        c->misses++;
        if (c->size == CAPACITY) {
            e = c->last;
            unlink_entry(c, e);
        } else {
            e = malloc(sizeof *e);
            if (e == NULL)
                abort();
            c->size++;
        }
        e->key = key;
        e->value = compute(key);
    }
    push_front(c, e);
    value = e->value;
    pthread_mutex_unlock(&c->lock);
    return value;
}

static struct cache cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *client(void *arg)
{
    const int *keys = arg;
    for (int i = 0; i < 3; i++)
        assert(cache_get(&cache, keys[i]) == keys[i] * 7);
    return NULL;
}

int main(void)
{
    static int keys[2][3] = { { 1, 2, 1 }, { 3, 4, 2 } };
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, client, keys[i]) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(cache.hits + cache.misses == 6);
    while (cache.first != NULL) {
        struct entry *e = cache.first;
        unlink_entry(&cache, e);
        free(e);
        cache.size--;
    }
    assert(cache.size == 0);
    return 0;
}
