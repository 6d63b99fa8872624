// expect: safe
// why: buffers come from a free list under a lock; who finds none waits; each is owned by one thread at a time
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS 2
#define USERS 3

struct buffer {
    struct buffer *next_free;
    char data[16];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    struct buffer buffers[BUFFERS];
    struct buffer *free_list;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .returned = PTHREAD_COND_INITIALIZER };

static struct buffer *pool_get(void)
{
    pthread_mutex_lock(&pool.lock);
    while (pool.free_list == NULL)
        pthread_cond_wait(&pool.returned, &pool.lock);
    struct buffer *b = pool.free_list;
    pool.free_list = b->next_free;
    pthread_mutex_unlock(&pool.lock);
    return b;
}

static void pool_put(struct buffer *b)
{
    pthread_mutex_lock(&pool.lock);
    b->next_free = pool.free_list;
    pool.free_list = b;
    pthread_cond_signal(&pool.returned);
    pthread_mutex_unlock(&pool.lock);
}

static void *user(void *arg)
{
    char mark = *(char *)arg;
    struct buffer *b = pool_get();
    memset(b->data, mark, sizeof b->data);
    for (size_t i = 0; i < sizeof b->data; i++)
        assert(b->data[i] == mark);
    pool_put(b);
    return NULL;
}

int main(void)
{
    pthread_t t[USERS];
    char marks[USERS] = { 'a', 'b', 'c' };
    int count = 0;

    for (int i = 0; i < BUFFERS; i++)
        pool_put(&pool.buffers[i]);
    for (int i = 0; i < USERS; i++)
        if (pthread_create(&t[i], NULL, user, &marks[i]) != 0)
            abort();
    for (int i = 0; i < USERS; i++)
        pthread_join(t[i], NULL);
    for (struct buffer *b = pool.free_list; b != NULL; b = b->next_free)
        count++;
    assert(count == BUFFERS);
    return 0;
}
