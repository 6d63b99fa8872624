// expect: safe
// why: texts go from hand to hand through a structure with a condition variable: reading them is not reading the structure
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct box {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *slots[2];
    int in, out;
};

static struct box box = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void put(struct box *b, char *item)
{
    pthread_mutex_lock(&b->lock);
    b->slots[b->in] = item;
    b->in = (b->in + 1) % 2;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

static char *take(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->slots[b->out] == NULL)
        pthread_cond_wait(&b->changed, &b->lock);
    char *item = b->slots[b->out];
    b->out = (b->out + 1) % 2;
    pthread_mutex_unlock(&b->lock);
    return item;
}

static void *writer(void *arg)
{
    char *text = malloc(2);
    if (text == NULL)
        abort();
    text[0] = 'x';
    text[1] = '\0';
    put(arg, text);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, &box);
    char *text = take(&box);
    assert(text[0] == 'x');
    free(text);
    pthread_join(t, NULL);
    return 0;
}
