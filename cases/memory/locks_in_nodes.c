// expect: safe
// engines: bmc
// property: assert
// why: the lock of a node and its pointers are cells of different sizes, reached through pointers that were read
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct item {
    int number;
    struct item *next;
};

struct bucket {
    pthread_mutex_t lock;
    struct item *first;
    struct bucket *next;
};

struct bucket *buckets;
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

void add_bucket(void)
{
    struct bucket *fresh = malloc(sizeof *fresh);
    pthread_mutex_init(&fresh->lock, 0);
    fresh->first = 0;
    pthread_mutex_lock(&guard);
    fresh->next = buckets;
    buckets = fresh;
    pthread_mutex_unlock(&guard);
}

void *insert(void *unused)
{
    pthread_mutex_lock(&guard);
    struct bucket *bucket = buckets;
    pthread_mutex_unlock(&guard);
    struct item *fresh = malloc(sizeof *fresh);
    fresh->number = 1;
    pthread_mutex_lock(&bucket->lock);
    fresh->next = bucket->first;
    bucket->first = fresh;
    pthread_mutex_unlock(&bucket->lock);
    return 0;
}

int main(void)
{
    pthread_t inserter;
    add_bucket();
    pthread_create(&inserter, 0, insert, 0);
    add_bucket();
    pthread_join(inserter, 0);
    int sum = 0;
    for (struct bucket *bucket = buckets; bucket; bucket = bucket->next)
        for (struct item *item = bucket->first; item; item = item->next)
            sum += item->number;
    assert(sum == 1);
    return 0;
}
