// expect: safe
// why: a hash table with a lock for every second bucket; each operation holds the lock of its bucket's stripe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 4
#define STRIPES 2

struct entry {
    unsigned key;
    int value;
    struct entry *next;
};

static struct entry *buckets[BUCKETS];
static pthread_mutex_t stripes[STRIPES] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static unsigned bucket_of(unsigned key)
{
    return (key * 2654435761u) % BUCKETS;
}

static void table_add(unsigned key, int delta)
{
    unsigned b = bucket_of(key);
    struct entry *e;

    pthread_mutex_lock(&stripes[b % STRIPES]);
    for (e = buckets[b]; e != NULL && e->key != key; e = e->next)
        ;
    if (e == NULL) {
        e = malloc(sizeof *e);
        if (e == NULL)
            abort();
        e->key = key;
        e->value = 0;
        e->next = buckets[b];
        buckets[b] = e;
    }
    e->value += delta;
    pthread_mutex_unlock(&stripes[b % STRIPES]);
}

static int table_remove(unsigned key)
{
    unsigned b = bucket_of(key);
    int value = 0;

    pthread_mutex_lock(&stripes[b % STRIPES]);
    for (struct entry **p = &buckets[b]; *p != NULL; p = &(*p)->next) {
        if ((*p)->key == key) {
            struct entry *gone = *p;
            *p = gone->next;
            value = gone->value;
            free(gone);
            break;
        }
    }
    pthread_mutex_unlock(&stripes[b % STRIPES]);
    return value;
}

static void *counter(void *arg)
{
    int delta = *(int *)arg;
    for (unsigned key = 1; key <= 3; key++)
        table_add(key, delta);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int deltas[2] = { 1, 10 };

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, counter, &deltas[i]) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (unsigned key = 1; key <= 3; key++)
        assert(table_remove(key) == 11);
    assert(table_remove(1) == 0);
    return 0;
}
