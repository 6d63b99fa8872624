// expect: safe
// why: who takes the count to zero frees; the decrement releases what was done with the object and the last one acquires it
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USERS 3

struct document {
    atomic_int refs;
    size_t length;
    char *text;
};

static struct document *document_new(const char *text)
{
    struct document *d = malloc(sizeof *d);
    if (d == NULL)
        return NULL;
    atomic_init(&d->refs, 1);
    d->length = strlen(text);
    d->text = malloc(d->length + 1);
    if (d->text == NULL) {
        free(d);
        return NULL;
    }
    memcpy(d->text, text, d->length + 1);
    return d;
}

static struct document *document_get(struct document *d)
{
    atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
    return d;
}

static void document_put(struct document *d)
{
    if (atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) == 1) {
        free(d->text);
        free(d);
    }
}

static void *count_words(void *arg)
{
    struct document *d = arg;
    int words = 0;
    for (size_t i = 0; i < d->length; i++)
        if (d->text[i] == ' ')
            words++;
    printf("%d words\n", words + 1);
    document_put(d);
    return NULL;
}

int main(void)
{
    pthread_t users[USERS];
    struct document *d = document_new("to be or not");

    if (d == NULL)
        return 1;
    for (int i = 0; i < USERS; i++) {
        if (pthread_create(&users[i], NULL, count_words, document_get(d)) != 0)
            abort();
    }
    document_put(d);
    for (int i = 0; i < USERS; i++)
        pthread_join(users[i], NULL);
    return 0;
}
