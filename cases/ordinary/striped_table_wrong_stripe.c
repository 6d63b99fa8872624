// expect: unsafe
// why: (race) removal picks the stripe by the key instead of by the bucket, so it does not exclude additions to the same bucket
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 4
#define STRIPES 2

struct entry {
    unsigned key;
    struct entry *next;
};

static struct entry *buckets[BUCKETS];
static pthread_mutex_t stripes[STRIPES] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static unsigned bucket_of(unsigned key)
{
    return (key / 3) % BUCKETS;
}

static void table_insert(unsigned key)
{
    unsigned b = bucket_of(key);
    struct entry *e = malloc(sizeof *e);

    if (e == NULL)
        abort();
    e->key = key;
    pthread_mutex_lock(&stripes[b % STRIPES]);
    e->next = buckets[b];
    buckets[b] = e;
    pthread_mutex_unlock(&stripes[b % STRIPES]);
}

static int table_remove(unsigned key)
{
    unsigned b = bucket_of(key);
    struct entry **p, *gone = NULL;

    pthread_mutex_lock(&stripes[key % STRIPES]);
    for (p = &buckets[b]; *p != NULL; p = &(*p)->next)
        if ((*p)->key == key) {
            gone = *p;
            *p = gone->next;
            break;
        }
    pthread_mutex_unlock(&stripes[key % STRIPES]);
    free(gone);
    return gone != NULL;
}

static void *writer(void *arg)
{
    unsigned key = *(unsigned *)arg;
    table_insert(key);
    if (!table_remove(key))
        fprintf(stderr, "key %u has vanished\n", key);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    unsigned keys[2] = { 6, 7 };

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, writer, &keys[i]) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return EXIT_SUCCESS;
}
