// expect: safe
// expect[memsafety]: safe
// expect[race]: safe
// why: an entry is freed after the lock, when no reader can have it any more
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct entry { int key; int value; };
static struct entry *entry;
static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;

static int lookup(int key)
{
    int value = -1;
    pthread_rwlock_rdlock(&guard);
    if (entry && entry->key == key)
        value = entry->value;
    pthread_rwlock_unlock(&guard);
    return value;
}

static void replace(int key, int value)
{
    struct entry *fresh = malloc(sizeof *fresh);
    if (!fresh) return;
    fresh->key = key;
    fresh->value = value;
    pthread_rwlock_wrlock(&guard);
    struct entry *old = entry;
    entry = fresh;
    
    pthread_rwlock_unlock(&guard);
    free(old);
}

static void *reader(void *unused)
{
    int value = lookup(7);
    assert(value == -1 || value == 70 || value == 71);
    return 0;
}

static void *writer(void *unused)
{
    replace(7, 71);
    return 0;
}

int main(void)
{
    pthread_t r, w;
    replace(7, 70);
    pthread_create(&r, 0, reader, 0);
    pthread_create(&w, 0, writer, 0);
    pthread_join(r, 0);
    pthread_join(w, 0);
    free(entry);
    entry = 0;
    return 0;
}
